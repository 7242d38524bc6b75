import { isError } from '@chandlery/api';
import { SmError, smError } from '../../../errors.ts';
import { idOfName } from '../../../kinds/index.ts';
import type { Registry } from '../../../model/rows.ts';
import { checkIfMatch } from '../../shared/etag.ts';
import { retryConflicts } from '../../shared/retry-conflicts.ts';
import { changeableRow } from '../access/find-row.ts';
import { tenantForCreation } from '../access/tenants.ts';
import type { SmRequest, SmResponse } from '../resource-handler.ts';
import { checkId } from '../transport/check-id.ts';
import type { Call, HttpResponse } from '../transport/route.ts';
import { type AnyRow, type ErasedHandler, tableOf } from './any-handler.ts';
import { httpResponseOf } from './http-response.ts';
import { repeatedResponse } from './idempotent-repeat.ts';
import type { RestDeps } from './rest-needs.ts';
import { smRequestOf } from './sm-request.ts';

/** `POST /v1/{type}`, and `POST /v1/{type}/{action}`. */
export async function createResource(
  handler: ErasedHandler,
  call: Call,
  { create, ...deps }: RestDeps & { readonly create: (request: SmRequest) => Promise<SmResponse> },
): Promise<HttpResponse> {
  const { id } = call.body;
  if (typeof id === 'string') checkId(id);
  else if (id !== undefined && id !== null) throw smError('BadRequest', 'id must be a string', { field: 'id' });
  const request = smRequestOf(handler, call, tenantForCreation(call, handler));
  const { registry } = deps;
  const response =
    (await repeatedResponse(handler, request, registry)) ?? (await createOnce(handler, request, { create, registry }));
  return httpResponseOf(handler, response, { ...deps, call, isCreation: true });
}

/** Two requests with the same key may come at once: the one that loses gets the answer of the other. */
async function createOnce(
  handler: ErasedHandler,
  request: SmRequest,
  { create, registry }: Pick<RestDeps, 'registry'> & { readonly create: (request: SmRequest) => Promise<SmResponse> },
): Promise<SmResponse> {
  try {
    return await retryConflicts(() => create(request));
  } catch (thrown) {
    const isConflict =
      isError(thrown, 'UniqueViolation', 'AlreadyExists') || (thrown instanceof SmError && thrown.status === 409);
    const repeated = isConflict ? await repeatedResponse(handler, request, registry) : undefined;
    if (repeated !== undefined) return repeated;
    throw explainMissingTenant(thrown, request) ?? explainConflict(thrown, handler, registry);
  }
}

/** The tenant is a namespace, and the caller has named it. */
function explainMissingTenant(thrown: unknown, { tenant }: SmRequest): SmError | undefined {
  const isMissing = !(thrown instanceof SmError) && isError(thrown, 'NotFound') && thrown.details.kind === 'namespaces';
  return isMissing ? smError('BadRequest', `there is no tenant ${JSON.stringify(tenant)}`) : undefined;
}

/** `PATCH /v1/{type}/{id}`. */
export async function patchResource(handler: ErasedHandler, call: Call, deps: RestDeps): Promise<HttpResponse> {
  const response = await retryConflicts(async () => {
    const row = changeableRow(handler, call, { ...deps, verb: 'update' });
    checkIfMatch(call.headers, row);
    return patch(handler, row, smRequestOf(handler, call, row.tenant));
  }).catch((thrown: unknown) => {
    throw explainConflict(thrown, handler, deps.registry);
  });
  return httpResponseOf(handler, response, { ...deps, call, isCreation: false });
}

async function patch(handler: ErasedHandler, row: AnyRow, request: SmRequest): Promise<SmResponse> {
  if (handler.patch === undefined) throw smError('MethodNotAllowed', `a ${handler.noun} cannot be changed`);
  return handler.patch(row, request);
}

/** Translates a commit that failed because a name or id is taken; other errors are returned unchanged. */
function explainConflict(thrown: unknown, handler: ErasedHandler, registry: Registry): unknown {
  if (thrown instanceof SmError || !isError(thrown, 'UniqueViolation', 'AlreadyExists')) return thrown;
  const ids = existingIds(handler, thrown.details, registry);
  const facts = ids.length === 0 ? {} : { ids };
  return smError('Conflict', `found conflicting ${handler.noun}`, facts, { cause: thrown });
}

/** The unique key's name is in `kind`, what is taken in `name`, in the form that the kinds give it. */
function existingIds(
  handler: ErasedHandler,
  { kind, name = '' }: { readonly kind?: string; readonly name?: string },
  registry: Registry,
): string[] {
  const table = tableOf(registry, handler);
  const idsOf = (rows: Iterable<AnyRow>) => [...rows].map(({ id }) => id);
  if (kind === 'platform_and_plan') {
    const [platformId = '', planId = ''] = JSON.parse(name) as string[];
    const ofPlan = [...registry.visibilities.by('planId', planId)];
    return idsOf(ofPlan.filter(({ spec }) => (spec.platformId ?? '') === platformId));
  }
  if (kind !== 'name') return table.get(idOfName(name)) === undefined ? [] : [idOfName(name)];
  if (handler.table === 'bindings') {
    const [instanceId = '', bindingName = ''] = JSON.parse(name) as string[];
    return idsOf([...registry.bindings.by('name', bindingName)].filter(({ spec }) => spec.instanceId === instanceId));
  }
  const [tenant, ...rest] = name.split('/');
  return idsOf([...table.by('name', rest.join('/'))].filter(row => row.tenant === tenant));
}
