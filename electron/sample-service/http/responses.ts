/** A response before it is sent. `Content-Length` follows from the body. */
export interface SampleResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export function jsonResponse(status: number, value: unknown): SampleResponse {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  return { status, headers, body: Buffer.from(JSON.stringify(value)) }
}

/** One invalid field of a request. `field` is the path in the body, empty for the body as a whole. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** Returns an error as JSON: `{ statusCode, error, message, details? }`. */
export function errorResponse(status: number, message: string, details?: readonly FieldProblem[]): SampleResponse {
  const error = errorNames[status] ?? 'Error'
  return jsonResponse(status, { statusCode: status, error, message, ...(details ? { details } : {}) })
}

const errorNames: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
}
