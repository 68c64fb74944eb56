@echo off
rem The command line of the installed app: its own executable, told to open no window. See "solarchive --help".
rem In a script cmd.exe waits for the program, and passes its exit code on.
setlocal
"%~dp0..\..\Solarchive.exe" --no-sandbox --disable-gpu --log-level=3 --cli -- %*
exit /b %ERRORLEVEL%
