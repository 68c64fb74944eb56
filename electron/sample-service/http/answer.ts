/** A response before it is sent. `Content-Length` follows from the body. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  }
}

/** One field that a request got wrong. `field` is the path in the body, empty for the body as a whole. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** An error as JSON: `{ statusCode, error, message, details? }`. */
export function errorAnswer(status: number, message: string, details?: readonly FieldProblem[]): Answer {
  const error = errorNames[status] ?? 'Error'
  return jsonAnswer(status, { statusCode: status, error, message, ...(details ? { details } : {}) })
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
