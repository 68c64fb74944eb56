import { evidenceFolder } from '../archive/layout.ts'
import { copiesFolder, manifestName, stampName } from './evidence-folders.ts'

/** Returns the text in a folder of evidence that says how to check it without Solarchive. Public, ASCII, LF. */
export function readmeText(folder: string): string {
  return `Evidence of ${folder}
${'='.repeat(`Evidence of ${folder}`.length)}

Solarchive wrote this folder. It proves that the archived files existed, with
exactly these contents, at the time of the stamp.

  ${copiesFolder}/*/SHA256SUMS   copies of the checksums of every project's files
  ${manifestName}              the root manifest: checksums of these copies
  ${stampName}          a time stamp (RFC 3161) of the root manifest, signed by
                          a time-stamping authority. It is missing as long as
                          no authority could be asked.

How to check it, without Solarchive
-----------------------------------

1. The time stamp is one of this root manifest. authority.pem is the root
   certificate of the authority, which it publishes:

     openssl ts -verify -data ${manifestName} -in ${stampName} -CAfile authority.pem

   If that needs an intermediate certificate, add: -untrusted intermediate.pem
   The time, and who stated it:

     openssl ts -reply -in ${stampName} -text

   Keep a copy of authority.pem with this folder now. The certificates of the
   authority expire, often some ten years later, and the first command fails
   from then on. To have it check as of the time of the stamp, in seconds since
   1970 (date -d "<time>" +%s prints them), add: -attime <seconds>
   Whether that is accepted is for the other side to decide.

2. The copies are those that were stamped. In this folder:

     sha256sum -c ${manifestName}

   Only the copies that it names count. It says nothing about a folder in
   ${copiesFolder} that is not in this list: that one was added later.

3. The files are those in the copies. In the folder of a project in the
   archive:

     sha256sum -c "../${evidenceFolder}/${folder}/${copiesFolder}/<project>/SHA256SUMS"

   A file that was replaced since is in the folder .versions of its checklist;
   compare its checksum. checklist.json changes with every change of a
   checklist.

Copies that were exported have other paths than the archive. One of them is in
the stamped copies if its checksum is found there; the line that is found has
its path in the archive. In this folder, with the exported file's checksum,
this searches the copies that ${manifestName} names, and no others:

     sha256sum "<exported file>"
     cut -c67- ${manifestName} | tr '\\n' '\\0' | xargs -0 grep -HF "<its checksum>"

To hand over an exported file as evidence, give a copy of this folder with it.
The whole folder names every project, section, question, and file of the
archive, those of other customers as well. For some projects, ${manifestName},
${stampName}, README.txt, and their copies are enough. Step 2 is then

     sha256sum --ignore-missing -c ${manifestName}

and the search says that the other copies are missing. ${manifestName} still has
the names of all project folders, and "solarchive evidence verify" calls such a
part damaged.

What it does not prove
----------------------

- Who took a photo, where, and when: only that the file existed by the time of
  the stamp.
- That nothing is missing: only what is listed here existed.
- Anything, if the authority is not one that the other side trusts, or if its
  certificate was revoked before the stamp.

Nothing but the checksum of the root manifest was sent to the authority.
`
}
