/**
 * Loaded with `--import` into a process whose wall clock is to stand still: names that hold a time are then the same in
 * every run. `STANDING_CLOCK_MS` is milliseconds since 1970 UTC.
 */
const standingMs = Number(process.env['STANDING_CLOCK_MS'])
Date.now = () => standingMs
