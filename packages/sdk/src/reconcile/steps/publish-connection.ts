import { type KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { shorten } from '@chandlery/clusters/kinds';
import {
  controllerOf,
  ignoreNotFound,
  isSameJson,
  ownerReference,
  type StepResult,
  setController,
} from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { userError } from '../../definition/user-error.ts';
import { connectionSecretName, fieldManagerOf, sdkNames } from '../../model/names.ts';
import { type ReconcileScope, statusOf } from '../reconcile-scope.ts';
import { recordChange } from '../record-changes.ts';

/** Publishes the connection details to the tenant: a Secret beside the object, with exactly the observed keys. */
export async function publishConnection(_object: ServiceObject, scope: ReconcileScope): Promise<StepResult> {
  const { connection, isReady } = scope.observation ?? {};
  // A published Secret stays while the service is temporarily not ready.
  if (connection === undefined) return isReady === false ? 'continue' : withdraw(scope);
  const at = secretRef(scope);
  const wanted = secretFor(scope, connection);
  const live = await getSecret(scope);
  checkOwner(scope, live);
  statusOf(scope).connectionSecretRef = { name: at.name };
  if (live !== undefined && isSame(live, wanted)) return 'continue';
  await writeSecret(scope, live, wanted);
  recordChange(scope, live === undefined ? 'create' : 'update', `Secret "${at.name}"`);
  return 'continue';
}

/** Detaches the Secret from the object; it is then owned by the RetainedService, if there is one. */
export async function releaseConnection(scope: ReconcileScope, holder?: KubeObject): Promise<boolean> {
  const live = await getSecret(scope);
  if (live === undefined || !isOurs(scope, live)) return live !== undefined;
  const { [sdkNames.managedByLabel]: _, ...labels } = live.metadata.labels ?? {};
  const metadata = { ...live.metadata, labels, ownerReferences: holder === undefined ? [] : [ownerReference(holder)] };
  await scope.deps.onboarding.update(secretRef(scope), { ...live, metadata }, { signal: scope.step.signal });
  return true;
}

async function withdraw(scope: ReconcileScope): Promise<StepResult> {
  const { deps, object, step } = scope;
  if (object.status?.connectionSecretRef === undefined) return 'continue';
  const live = await getSecret(scope);
  if (live !== undefined && isOurs(scope, live)) {
    await deps.onboarding.delete(secretRef(scope), { signal: step.signal }).catch(ignoreNotFound);
    recordChange(scope, 'delete', `Secret "${live.metadata.name}"`);
  }
  delete statusOf(scope).connectionSecretRef;
  return 'continue';
}

async function writeSecret(
  { deps, step }: ReconcileScope,
  live: KubeObject | undefined,
  wanted: KubeObject,
): Promise<void> {
  const { namespace = '', name = '', resourceVersion } = { ...wanted.metadata, ...pick(live) };
  const at = { group: '', version: 'v1', plural: 'secrets', namespace, name };
  const options = { signal: step.signal, fieldManager: fieldManagerOf(deps.provider) };
  if (resourceVersion === undefined) await deps.onboarding.create(at, wanted, options);
  else await deps.onboarding.update(at, { ...wanted, metadata: { ...wanted.metadata, resourceVersion } }, options);
}

const pick = (live: KubeObject | undefined): { resourceVersion?: string } => {
  const resourceVersion = live?.metadata.resourceVersion;
  return resourceVersion === undefined ? {} : { resourceVersion };
};

function secretFor({ object, deps, step }: ReconcileScope, connection: Readonly<Record<string, string>>): KubeObject {
  const { namespace = '', name = '' } = object.metadata;
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: connectionSecretName(object.kind, name),
      namespace,
      labels: { [sdkNames.managedByLabel]: shorten(deps.provider) },
      annotations: { [sdkNames.objectAnnotation]: step.key },
    },
    type: sdkNames.connectionSecretType,
    data: Object.fromEntries(
      Object.entries(connection).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    ),
  };
  setController(secret, object);
  return secret;
}

const isSame = (live: KubeObject, wanted: KubeObject): boolean =>
  isSameJson(live['data'], wanted['data']) && controllerOf(live)?.uid === controllerOf(wanted)?.uid;

const isOurs = ({ object }: ReconcileScope, secret: KubeObject): boolean =>
  controllerOf(secret)?.uid === object.metadata.uid;

/** Accepts a Secret that was released, or left by an object of the same name, and rejects any other. */
function checkOwner(scope: ReconcileScope, live: KubeObject | undefined): void {
  if (live === undefined || isOurs(scope, live)) return;
  if (live['type'] === sdkNames.connectionSecretType && isLeftBehind(scope, live)) return;
  throw userError(
    `Secret "${live.metadata.name}" is not managed by this provider`,
    'Delete it, or use another name for the object.',
  );
}

function isLeftBehind({ object }: ReconcileScope, live: KubeObject): boolean {
  const owner = controllerOf(live);
  return owner === undefined || (owner.kind === object.kind && owner.name === object.metadata.name);
}

const getSecret = (scope: ReconcileScope): Promise<KubeObject | undefined> =>
  scope.deps.onboarding.get(secretRef(scope), { signal: scope.step.signal }).catch(ignoreNotFound);

const secretRef = ({ object }: ReconcileScope): ObjectRef => ({
  group: '',
  version: 'v1',
  plural: 'secrets',
  namespace: object.metadata.namespace ?? '',
  name: connectionSecretName(object.kind, object.metadata.name ?? ''),
});
