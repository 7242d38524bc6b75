import { type ChandleryError, type KubeObject, toError } from '@chandlery/api';
import {
  type Client,
  type ConnectionOptions,
  createClient,
  type HttpClient,
  loadKubeconfig,
  type NamedUser,
  parseKubeconfig,
} from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import { invalidConnection } from '../../errors.ts';

/** The connection to an external cluster. */
export type Link =
  | { readonly type: 'open'; readonly client: HttpClient; readonly connection: ConnectionOptions }
  | { readonly type: 'missing' }
  | { readonly type: 'broken'; readonly error: ChandleryError };

const secrets = { group: '', version: 'v1', plural: 'secrets' };

export interface ExternalLinkOptions {
  readonly platform: Client;
  readonly namespace: string;
  /** The name of the Secret. */
  readonly name: string;
  readonly changed: () => void;
}

/** Watches the Secret of one external cluster and keeps a client for its kubeconfig. */
export class ExternalLink implements AsyncDisposable {
  readonly secretName: string;
  readonly #informer: Informer;
  #link: Link = { type: 'missing' };
  #closing: Promise<unknown> = Promise.resolve();

  constructor({ platform, namespace, name, changed }: ExternalLinkOptions) {
    this.secretName = name;
    const ref = { ...secrets, namespace };
    this.#informer = createInformer({ client: platform, ref, fieldSelector: `metadata.name=${name}` });
    const renew = (link: Link): void => {
      this.#replace(link);
      changed();
    };
    this.#informer.listen({
      added: secret => renew(openLink(secret)),
      updated: (secret, before) => {
        if (kubeconfigIn(secret) !== kubeconfigIn(before)) renew(openLink(secret));
      },
      deleted: () => renew({ type: 'missing' }),
    });
    this.#informer.start();
  }

  /** Waits for the first read of the Secret, or the signal. */
  async current(signal?: AbortSignal): Promise<Link> {
    await untilAborted(this.#informer.synced, signal);
    return this.#link;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer.stop();
    this.#replace({ type: 'missing' });
    await this.#closing;
  }

  #replace(link: Link): void {
    const before = this.#link;
    this.#link = link;
    if (before.type !== 'open') return;
    this.#closing = Promise.allSettled([this.#closing, before.client[Symbol.asyncDispose]()]);
  }
}

const kubeconfigIn = (secret: KubeObject): unknown =>
  (secret['data'] as Record<string, unknown> | undefined)?.['kubeconfig'];

function openLink(secret: KubeObject): Link {
  try {
    const connection = readConnection(secret);
    return { type: 'open', connection, client: createClient({ ...connection, fieldManager: 'chandlery' }) };
  } catch (thrown) {
    return { type: 'broken', error: toError(thrown) };
  }
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(toError(signal.reason));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const kubeconfigHint =
  'Write a kubeconfig that holds all it needs: certificates as data, a token or a client certificate.';

/** Entries that would make the server read its own files or run a program. */
const forbiddenEntries = ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key'] as const;

/** The connection that a Secret describes under `kubeconfig`. Throws `InvalidConnection` or `KubeconfigInvalid`. */
function readConnection(secret: KubeObject): ConnectionOptions {
  const place = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`;
  const encoded = (secret['data'] as Record<string, string> | undefined)?.['kubeconfig'];
  if (encoded === undefined) throw invalidConnection(`${place} has no key "kubeconfig"`, kubeconfigHint);
  const text = Buffer.from(encoded, 'base64').toString();
  rejectOutside(text, place);
  return loadKubeconfig(`${text}\n\n`);
}

/** A client that may write a Secret must not make the server read its files or start programs. */
function rejectOutside(text: string, place: string): void {
  const { clusters, users } = parseKubeconfig(text, `in ${place}`);
  const used = users.flatMap(({ user }: NamedUser) => forbiddenEntries.filter(entry => user[entry] !== undefined));
  if (clusters.some(({ cluster }) => cluster['certificate-authority'] !== undefined)) {
    throw invalidConnection(
      `the kubeconfig in ${place} names files of the server: certificate-authority`,
      kubeconfigHint,
    );
  }
  if (used.length === 0) return;
  const names = [...new Set(used)].sort().join(', ');
  throw invalidConnection(`the kubeconfig in ${place} needs files or programs of the server: ${names}`, kubeconfigHint);
}
