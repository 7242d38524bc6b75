import { isError, type KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { shorten } from '@chandlery/clusters/kinds';
import { controllerOf, isSameJson, ownerReference, type StepResult, setController } from '@chandlery/runtime';
import { userError } from '../../definition/user-error.ts';
import { connectionSecretName, fieldManagerOf, sdkNames } from '../../model/names.ts';
import { type Pass, statusOf } from '../pass.ts';
import { recordChange } from '../record-changes.ts';

/** Gives the tenant what is needed to use the service: a Secret beside the object, with just the keys observed. */
export async function publishConnection(pass: Pass): Promise<StepResult> {
  const { connection, isReady } = pass.observation ?? {};
  // What has been published stays while the service is away for a moment.
  if (connection === undefined) return isReady === false ? 'continue' : withdraw(pass);
  const at = secretRef(pass);
  const wanted = secretFor(pass, connection);
  const live = await getSecret(pass);
  checkOwner(pass, live);
  statusOf(pass).connectionSecretRef = { name: at.name };
  if (live !== undefined && isSame(live, wanted)) return 'continue';
  await writeSecret(pass, live, wanted);
  recordChange(pass, live === undefined ? 'create' : 'update', `Secret "${at.name}"`);
  return 'continue';
}

/** Lets the Secret live on without the object, as long as what holds the service. */
export async function releaseConnection(pass: Pass, holder?: KubeObject): Promise<boolean> {
  const live = await getSecret(pass);
  if (live === undefined || !isOurs(pass, live)) return live !== undefined;
  const { [sdkNames.managedByLabel]: _, ...labels } = live.metadata.labels ?? {};
  const metadata = { ...live.metadata, labels, ownerReferences: holder === undefined ? [] : [ownerReference(holder)] };
  await pass.needs.onboarding.update(secretRef(pass), { ...live, metadata }, { signal: pass.step.signal });
  return true;
}

async function withdraw(pass: Pass): Promise<StepResult> {
  const { needs, object, step } = pass;
  if (object.status?.connectionSecretRef === undefined) return 'continue';
  const live = await getSecret(pass);
  if (live !== undefined && isOurs(pass, live)) {
    await needs.onboarding.delete(secretRef(pass), { signal: step.signal }).catch(ignoreNotFound);
    recordChange(pass, 'delete', `Secret "${live.metadata.name}"`);
  }
  delete statusOf(pass).connectionSecretRef;
  return 'continue';
}

async function writeSecret({ needs, step }: Pass, live: KubeObject | undefined, wanted: KubeObject): Promise<void> {
  const { namespace = '', name = '', resourceVersion } = { ...wanted.metadata, ...pick(live) };
  const at = { group: '', version: 'v1', plural: 'secrets', namespace, name };
  const options = { signal: step.signal, fieldManager: fieldManagerOf(needs.provider) };
  if (resourceVersion === undefined) await needs.onboarding.create(at, wanted, options);
  else await needs.onboarding.update(at, { ...wanted, metadata: { ...wanted.metadata, resourceVersion } }, options);
}

const pick = (live: KubeObject | undefined): { resourceVersion?: string } => {
  const resourceVersion = live?.metadata.resourceVersion;
  return resourceVersion === undefined ? {} : { resourceVersion };
};

function secretFor({ object, needs, step }: Pass, connection: Readonly<Record<string, string>>): KubeObject {
  const { namespace = '', name = '' } = object.metadata;
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: connectionSecretName(object.kind, name),
      namespace,
      labels: { [sdkNames.managedByLabel]: shorten(needs.provider) },
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

const isOurs = ({ object }: Pass, secret: KubeObject): boolean => controllerOf(secret)?.uid === object.metadata.uid;

/** One that was let go, or left behind by an object of the same name, is taken over; any other is somebody else's. */
function checkOwner(pass: Pass, live: KubeObject | undefined): void {
  if (live === undefined || isOurs(pass, live)) return;
  if (live['type'] === sdkNames.connectionSecretType && isLeftBehind(pass, live)) return;
  throw userError(
    `Secret "${live.metadata.name}" is not managed by this provider`,
    'Delete it, or use another name for the object.',
  );
}

function isLeftBehind({ object }: Pass, live: KubeObject): boolean {
  const owner = controllerOf(live);
  return owner === undefined || (owner.kind === object.kind && owner.name === object.metadata.name);
}

const getSecret = (pass: Pass): Promise<KubeObject | undefined> =>
  pass.needs.onboarding.get(secretRef(pass), { signal: pass.step.signal }).catch(ignoreNotFound);

const secretRef = ({ object }: Pass): ObjectRef => ({
  group: '',
  version: 'v1',
  plural: 'secrets',
  namespace: object.metadata.namespace ?? '',
  name: connectionSecretName(object.kind, object.metadata.name ?? ''),
});

function ignoreNotFound(error: unknown): undefined {
  if (!isError(error, 'NotFound')) throw error;
}
