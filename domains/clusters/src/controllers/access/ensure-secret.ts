import { isDeepStrictEqual } from 'node:util';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import { controllerOf, type StepContext, type StepResult, setCondition, setController } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { accountUidAnnotation, kubeconfigSecretName, labelsFor } from '../../model/access/access-names.ts';
import { readTokenLife, renewalTime, type TokenLife } from '../../model/access/token-life.ts';
import type { ClusterAddress } from '../../ports.ts';
import type { AccessDeps } from './access-deps.ts';
import { findAccount, issueToken } from './issue-token.ts';
import { renewCopies } from './renew-copies.ts';
import { oidcSecretData, tokenSecretData } from './secret-data.ts';

type Texts = Readonly<Record<string, string>>;

/** The desired content of the Secret. */
interface Contents {
  readonly data: Texts;
  readonly labels: Texts;
  readonly annotations?: Texts;
}

/** Keeps the Secret with the kubeconfig, and requeues the request when its token is to be renewed. */
export async function ensureSecret(
  request: AccessRequest,
  deps: AccessDeps,
  context: StepContext,
): Promise<StepResult> {
  const address = await deps.address(request);
  const secret = await deps.secrets.read(request, context.signal);
  if (secret !== undefined && !isOf(request, secret)) throw secretTaken(secret);
  const { oidc } = request.spec;
  if (oidc === undefined) return keepToken(request, deps, { ...context, address, secret });
  const contents = { data: oidcSecretData(request, oidc, address), labels: labelsOf(request, deps) };
  if (!hasContents(secret, contents)) await write(request, deps, { ...context, secret, contents });
  reportGranted(request, deps, context);
  return 'continue';
}

interface Found extends StepContext {
  readonly address: ClusterAddress;
  readonly secret: KubeObject | undefined;
}

async function keepToken(request: AccessRequest, deps: AccessDeps, found: Found): Promise<StepResult> {
  const { now, signal, secret, address } = found;
  const client = await deps.connect(request);
  const account = await findAccount(client, request, { granter: deps.granter, signal });
  const marks = {
    labels: labelsOf(request, deps),
    annotations: { [accountUidAnnotation]: account.metadata.uid ?? '' },
  };
  const contentsWith = (life: TokenLife) => ({ data: tokenSecretData(request, life, address), ...marks });
  const kept = keptToken(secret, now, contentsWith);
  const life = kept ?? (await issueToken(client, account, { now, signal }));
  if (kept === undefined) await write(request, deps, { ...found, contents: contentsWith(life) });
  if (kept === undefined && request.status?.phase === 'Granted') reportRenewed(request, deps);
  await renewCopies(request, deps, { token: life.token, account: account.metadata.name ?? '', signal });
  reportGranted(request, deps, found);
  return { retryAfterMs: Math.max(0, renewalTime(life).getTime() - now.getTime()) };
}

/** The token of the Secret if it needs no change: of this account, for this address, and not due for renewal. */
function keptToken(
  secret: KubeObject | undefined,
  now: Date,
  contentsWith: (life: TokenLife) => Contents,
): TokenLife | undefined {
  const life = readTokenLife(dataOf(secret));
  if (life === undefined || renewalTime(life).getTime() <= now.getTime()) return undefined;
  return hasContents(secret, contentsWith(life)) ? life : undefined;
}

function reportRenewed(request: AccessRequest, deps: AccessDeps): void {
  const message = `Secret "${kubeconfigSecretName(request.metadata.name ?? '')}" has a new token`;
  deps.record(request, { type: 'Normal', reason: 'AccessRenewed', message });
}

interface WriteParts extends StepContext {
  readonly secret: KubeObject | undefined;
  readonly contents: Contents;
}

async function write(request: AccessRequest, deps: AccessDeps, parts: WriteParts): Promise<void> {
  const { secret, contents, signal } = parts;
  const { name = '', namespace = '' } = request.metadata;
  const before = secret?.metadata ?? {};
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      ...before,
      name: kubeconfigSecretName(name),
      namespace,
      labels: { ...before.labels, ...contents.labels },
      annotations: { ...before.annotations, ...contents.annotations },
    },
    data: Object.fromEntries(
      Object.entries(contents.data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    ),
  };
  setController(object, request);
  await deps.secrets.write(object, secret, signal);
}

function hasContents(secret: KubeObject | undefined, { data, labels, annotations = {} }: Contents): boolean {
  if (secret === undefined || !isDeepStrictEqual(dataOf(secret), data)) return false;
  return hasAll(secret.metadata.labels, labels) && hasAll(secret.metadata.annotations, annotations);
}

const hasAll = (found: Texts | undefined, wanted: Texts): boolean =>
  Object.entries(wanted).every(([key, value]) => found?.[key] === value);

const labelsOf = ({ metadata: { name = '', namespace = '' } }: AccessRequest, { granter }: AccessDeps): Texts =>
  labelsFor(granter, { name, namespace });

function dataOf(secret: KubeObject | undefined): Record<string, string> {
  const data = (secret?.['data'] ?? {}) as Record<string, string>;
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
}

export const isOf = (request: AccessRequest, secret: KubeObject): boolean =>
  controllerOf(secret)?.uid === request.metadata.uid;

const secretTaken = ({ metadata }: KubeObject): ChandleryError =>
  new ChandleryError('NameTaken', `there is another Secret "${metadata.name ?? ''}" in the namespace already`, {
    hint: 'Delete it, or give the request another name.',
  });

/** Reports that everything the request asks for exists. */
function reportGranted(request: AccessRequest, deps: Pick<AccessDeps, 'record'>, context: StepContext): void {
  const wasGranted = request.status?.phase === 'Granted';
  const name = kubeconfigSecretName(request.metadata.name ?? '');
  request.status = { ...request.status, phase: 'Granted', secretRef: { name } };
  const message = `The kubeconfig is in the Secret "${name}".`;
  setCondition(request, { type: 'Ready', status: 'True', reason: 'AccessGranted', message }, context.now);
  if (wasGranted) return;
  const { clusterRef } = request.spec;
  const cluster = `${clusterRef?.namespace ?? ''}/${clusterRef?.name ?? ''}`;
  const text = `Secret "${name}" gives access to the cluster "${cluster}"`;
  deps.record(request, { type: 'Normal', reason: 'AccessGranted', message: text });
}
