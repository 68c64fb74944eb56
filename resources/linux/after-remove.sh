#!/bin/bash
# A template of electron-builder: the names in braces are filled in when the package is made.

# An update runs this after the new version was installed: then what is linked is there, and stays.
for link in '/usr/bin/solarchive' '/usr/bin/${executable}' /usr/share/man/man1/solarchive.1; do
  if [[ -L $link && ! -e $link ]]; then rm -f "$link"; fi
done

if [[ ! -e '/opt/${sanitizedProductName}/${executable}' && -f '/etc/apparmor.d/${executable}' ]]; then
  apparmor_parser --remove '/etc/apparmor.d/${executable}' >/dev/null 2>&1 || true
  rm -f '/etc/apparmor.d/${executable}'
fi
