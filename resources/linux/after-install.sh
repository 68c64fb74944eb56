#!/bin/bash
# A template of electron-builder: the names in braces are filled in when the package is made.

# The command line, and the app itself.
ln -sf '/opt/${sanitizedProductName}/resources/bin/solarchive' '/usr/bin/solarchive'
ln -sf '/opt/${sanitizedProductName}/${executable}' '/usr/bin/${executable}'

# The manual page.
mkdir -p /usr/share/man/man1
ln -sf '/opt/${sanitizedProductName}/resources/man/solarchive.1' /usr/share/man/man1/solarchive.1

# Chromium's sandbox needs the kernel's user namespaces, or else a helper that starts as root.
if [[ -L /proc/self/ns/user ]] && unshare --user true 2>/dev/null; then
  chmod 0755 '/opt/${sanitizedProductName}/chrome-sandbox' || true
else
  chmod 4755 '/opt/${sanitizedProductName}/chrome-sandbox' || true
fi

# Where AppArmor forbids user namespaces to everybody (Ubuntu from 24.04 on), the app has a profile that allows them.
profile='/opt/${sanitizedProductName}/resources/apparmor-profile'
if apparmor_status --enabled >/dev/null 2>&1 && apparmor_parser --skip-kernel-load --debug "$profile" >/dev/null 2>&1; then
  cp -f "$profile" '/etc/apparmor.d/${executable}'
  if ! { [[ -x /usr/bin/ischroot ]] && /usr/bin/ischroot; }; then
    apparmor_parser --replace --write-cache --skip-read-cache '/etc/apparmor.d/${executable}' || true
  fi
fi

if hash update-desktop-database 2>/dev/null; then update-desktop-database /usr/share/applications || true; fi
