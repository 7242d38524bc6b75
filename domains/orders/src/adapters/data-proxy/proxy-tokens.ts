import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '@chandlery/platform';
import { isUuid } from '../../model/urns.ts';

const keyBytes = 32;

/** Whom a token stands for: an order until it ends, or a service as long as it exists. */
export interface TokenSubject {
  readonly kind: 'order' | 'service';
  /** The UUID. */
  readonly id: string;
}

const servicePrefix = 'service-';

/** Makes and checks the tokens by which containers say which order, or which service, they work for. */
export class ProxyTokens {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Returns the token of a subject: the same each time, so that a repeated plan is the same document. */
  tokenOf({ kind, id }: TokenSubject): string {
    const name = kind === 'order' ? id : servicePrefix + id;
    return `${name}.${this.#sign(name)}`;
  }

  /** Returns whom a token stands for; undefined for one that was not made here. */
  subjectOf(token: string): TokenSubject | undefined {
    const [name = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#sign(name));
    const given = Buffer.from(signature);
    const kind = name.startsWith(servicePrefix) ? 'service' : 'order';
    const id = kind === 'order' ? name : name.slice(servicePrefix.length);
    if (!isUuid(id) || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return { kind, id };
  }

  #sign(name: string): string {
    return createHmac('sha256', this.#key).update(name).digest('base64url');
  }
}

/** What is remembered of a proxy, so that containers find it again after a restart of the server. */
interface ProxyState {
  readonly key: string;
  readonly port: number;
}

/** Reads the key and the port of the last start, or makes a key. */
export async function readProxyState(folder: string): Promise<ProxyState> {
  try {
    const { key, port } = JSON.parse(await readFile(join(folder, 'data-proxy.json'), 'utf8')) as ProxyState;
    if (Buffer.from(key, 'base64url').length === keyBytes && Number.isInteger(port)) return { key, port };
  } catch {
    // The first start, or a file that cannot be read: containers of earlier orders do not find the proxy.
  }
  return { key: randomBytes(keyBytes).toString('base64url'), port: 0 };
}

/** Remembers key and port. */
export async function writeProxyState(folder: string, state: ProxyState): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  writeFileAtomically(join(folder, 'data-proxy.json'), JSON.stringify(state));
}
