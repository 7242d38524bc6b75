import {
  apiError,
  badRequest,
  fieldCause,
  invalidOptions,
  isError,
  type KubeObject,
  methodNotAllowed,
} from '@chandlery/api';
import { endpointOf, type PatchType } from '@chandlery/kernel';
import { mediaTypeOf } from '../body.ts';
import { booleanOf, type ResourceCall, writeOptions } from '../call.ts';
import { sendObject } from '../respond.ts';
import { bodyOf } from './request-body.ts';

/** POST. */
export async function handleCreate(call: ResourceCall): Promise<void> {
  const { calls, target } = call;
  if (target.resource.kind.isNamespaced && target.namespace === '') throw methodNotAllowed();
  const { value, problems } = await bodyOf(call);
  const name = (value as Partial<KubeObject> | null)?.metadata?.name;
  if (typeof name === 'string') call.audited.name = name;
  const served = await decoding(call, () => calls.create(call, writeOptions(call, problems), value));
  sendObject(call, 201, served);
}

/**
 * Runs a write of a whole object. Kubernetes fails to decode a built-in kind with a field of the wrong type (a number for
 * a string, text that is not base64) and responds with 400; a custom kind is decoded and then rejected by its schema.
 */
async function decoding<T>({ target: { resource } }: ResourceCall, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { kind, version } = resource;
    if (version.declaration.protobuf === undefined || !isError(error, 'Invalid')) throw error;
    const cause = error.details.causes?.find(({ reason }) => reason === 'FieldValueTypeInvalid');
    if (cause === undefined) throw error;
    const what = `${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}`;
    throw badRequest(`${what}: ${cause.field}: ${cause.message}`);
  }
}

/** PUT. */
export async function handleUpdate(call: ResourceCall): Promise<void> {
  const { value, problems } = await bodyOf(call);
  const request = { endpoint: endpointOf(call.subresource), body: value };
  const options = writeOptions(call, problems);
  const { served, isCreated } = await decoding(call, () => call.calls.updateOrCreate(call, options, request));
  sendObject(call, isCreated ? 201 : 200, served);
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

/** PATCH of every type. */
export async function handlePatch(call: ResourceCall): Promise<void> {
  const type = mediaTypeOf(call.request.headers['content-type']);
  if (type === 'application/apply-patch+yaml') return apply(call);
  const { value, problems } = await bodyOf(call);
  const request = { endpoint: endpointOf(call.subresource), type: patchTypeOf(type), patch: value };
  if (call.query.has('force'))
    throw invalidOptions('PatchOptions', fieldCause.forbidden('force', 'may not be specified for non-apply patch'));
  sendObject(call, 200, await call.calls.patch(call, writeOptions(call, problems), request));
}

/** The type of a patch that is not an apply. */
export function patchTypeOf(mediaType: string): PatchType {
  const type = patchTypes[mediaType];
  if (type !== undefined) return type;
  throw apiError(
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
  );
}

async function apply(call: ResourceCall): Promise<void> {
  const { calls, query } = call;
  if ((query.get('fieldManager') ?? '') === '')
    throw invalidOptions('PatchOptions', fieldCause.required('fieldManager', 'is required for apply patch'));
  const { value, problems } = await bodyOf(call);
  const force = booleanOf(query, 'force') ?? false;
  const request = { endpoint: endpointOf(call.subresource), body: value, force };
  const { served, isCreated } = await calls.apply(call, writeOptions(call, problems), request);
  sendObject(call, isCreated ? 201 : 200, served);
}
