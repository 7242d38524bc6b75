import { ChandleryError, type ErrorCause, type ErrorDetails } from './errors.ts';
import type { GroupResource } from './group-version.ts';

/** The codes of the resource API and the HTTP status of each. The code is also Kubernetes' `reason`. */
export const apiErrorCodes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type ApiErrorCode = keyof typeof apiErrorCodes;

/** Makes an error of the resource API. */
export function apiError(code: ApiErrorCode, message: string, details?: ErrorDetails, cause?: unknown): ChandleryError {
  return new ChandleryError(code, message, { details: details ?? {}, cause });
}

const aboutResource = ({ group, resource }: GroupResource, name: string): ErrorDetails => ({
  name,
  kind: resource,
  ...(group === '' ? {} : { group }),
});

const qualified = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`);

export const notFound = (resource: GroupResource, name: string): ChandleryError =>
  apiError('NotFound', `${qualified(resource)} "${name}" not found`, aboutResource(resource, name));

export const alreadyExists = (resource: GroupResource, name: string): ChandleryError =>
  apiError('AlreadyExists', `${qualified(resource)} "${name}" already exists`, aboutResource(resource, name));

/** A lost optimistic-concurrency race. Retrying after a fresh read is the cure. */
export const conflict = (resource: GroupResource, name: string, why?: string): ChandleryError =>
  apiError(
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${
      why ?? 'the object has been modified; please apply your changes to the latest version and try again'
    }`,
    aboutResource(resource, name),
  );

/** An address at which nothing is served. */
export const notServed = (): ChandleryError => apiError('NotFound', 'the server could not find the requested resource');

/** A verb that the addressed resource does not take. */
export const methodNotAllowed = (): ChandleryError =>
  apiError('MethodNotAllowed', 'the server does not allow this method on the requested resource');

export const badRequest = (message: string): ChandleryError => apiError('BadRequest', message);

/** An object that its kind's rules reject; one cause per field. */
export function invalid(
  kind: { group: string; kind: string },
  name: string,
  all: readonly ErrorCause[],
): ChandleryError {
  const causes = all
    .slice(0, maxListed)
    .map(cause => ({ ...cause, message: clipped(cause.message, maxMessageLength) }));
  const lines = causes.map(cause => (cause.field === undefined ? cause.message : `${cause.field}: ${cause.message}`));
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return apiError('Invalid', `${qualifiedKind} "${clipped(name)}" is invalid: ${text}`, {
    name: clipped(name),
    kind: kind.kind,
    ...(kind.group === '' ? {} : { group: kind.group }),
    causes,
  });
}

/** Options of a request (`ListOptions`, `PatchOptions`) that are known and mean nothing, or do not go together. */
export const invalidOptions = (kind: string, cause: ErrorCause): ChandleryError =>
  invalid({ group: 'meta.k8s.io', kind }, '', [cause]);

const maxShownLength = 1000;
const maxListed = 100;
const maxMessageLength = 10_000;

/** A value as a message shows it. Values come from clients, and a response must stay small. */
function shown(value: unknown): string {
  return clipped(JSON.stringify(value) ?? 'null');
}

const clipped = (text: string, maxLength = maxShownLength): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;

const listed = (texts: readonly string[]): string =>
  [...texts.slice(0, maxListed).map(shown), ...(texts.length > maxListed ? ['…'] : [])].join(', ');

/** Ready-made causes, worded as Kubernetes clients expect them. */
export const fieldCause = {
  required: (field: string, detail = ''): ErrorCause => ({
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
    field,
  }),
  invalid: (field: string, value: unknown, detail: string): ErrorCause => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
    field,
  }),
  typeInvalid: (field: string, value: unknown, detail: string): ErrorCause => ({
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
    field,
  }),
  duplicate: (field: string, value: unknown): ErrorCause => ({
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${shown(value)}`,
    field,
  }),
  notSupported: (field: string, value: unknown, supported: readonly string[]): ErrorCause => ({
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${shown(value)}: supported values: ${listed(supported)}`,
    field,
  }),
  forbidden: (field: string, detail: string): ErrorCause => ({
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${detail}`,
    field,
  }),
  tooLong: (field: string, max: number): ErrorCause => ({
    reason: 'FieldValueTooLong',
    message: `Too long: may not be more than ${max} bytes`,
    field,
  }),
  tooMany: (field: string, actual: number, max: number): ErrorCause => ({
    reason: 'FieldValueTooMany',
    message: `Too many: ${actual}: must have at most ${max} items`,
    field,
  }),
} as const;
