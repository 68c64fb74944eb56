/**
 * The app's pages are `app://solarchive/…`; archived files `archive://files/<asset id>` and `archive://thumbnails/<asset id>`.
 * Neither has a path of the disk in it.
 */
export const pageScheme = 'app'
export const pageHost = 'solarchive'
export const pageOrigin = `${pageScheme}://${pageHost}`
export const fileScheme = 'archive'
