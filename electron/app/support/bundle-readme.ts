/** What the zip says about itself. */
export const bundleReadme = `Solarchive support bundle

Made by "solarchive support-bundle" for whoever helps to find out what went wrong. It stays on this machine until
somebody sends it on.

  environment.json   versions, operating system, free disk space, times
  settings.json      what settings.json holds and what Solarchive works with; whether a token is set, never the token
  status.json        projects, checklists and jobs by their ids: statuses, counts, reasons, times; the database's health
  logs/              the log, one JSON object a line, the newest in solarchive.log

What is not in it: the access token, links to files, names and addresses of projects, titles of checklists, labels of
questions, names of photo files, places, photos and reports. Where the log held other text than Solarchive's own
sentences, ids and numbers, it reads [removed], and paths and names in sentences read [...] or [name]. The name of the
folder of the person who runs Solarchive is ~.

The ids are the service's: together with an account there they lead to a project, without one they tell nothing.
`
