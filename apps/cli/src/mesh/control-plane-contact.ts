import { ChandleryError } from '@chandlery/api';
import { connectionError } from '@chandlery/client';
import type { CertificateFiles } from '@chandlery/mesh/agent';
import { formatHostPort, type HostPort } from './addresses.ts';
import { Contact, type ContactMessages } from './contact.ts';
import { loadMesh } from './mesh-module.ts';
import { untilReached } from './until-reached.ts';

const words: ContactMessages = {
  waiting: 'Waiting for the control plane',
  lost: 'Lost contact with the control plane',
  regained: 'Regained contact with the control plane',
  failing: 'No connection to the control plane',
  mended: 'Regained contact with the control plane',
};

const hint =
  'See that the landscape runs, and that its port for proxies can be reached; --xds-address names another one.';

export interface ControlPlaneContactOptions {
  /** Current address for proxies. */
  readonly address: () => HostPort;
  readonly files: () => CertificateFiles;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Tracks whether the control plane is reachable, by handshakes on demand, repeated until one succeeds. Ends with the
 * signal or when disposed of.
 */
export class ControlPlaneContact implements Disposable {
  readonly #options: ControlPlaneContactOptions;
  readonly #contact: Contact;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #reaching: Promise<void> | undefined;

  constructor(options: ControlPlaneContactOptions) {
    this.#options = options;
    this.#contact = new Contact(words, options.tell);
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
  }

  /** Resolves when the control plane has been reached. Rejects when it ends before. */
  reach(): Promise<void> {
    const patience = { signal: this.#signal, isPatient: true };
    this.#reaching ??= untilReached(this.#contact, () => this.#greet(), patience).finally(() => {
      this.#reaching = undefined;
    });
    return this.#reaching;
  }

  /** To be called when a client could not reach it: checks whether it is reachable. */
  check(): void {
    this.reach().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #greet(): Promise<void> {
    const { probeControlPlane } = await loadMesh();
    const address = this.#options.address();
    try {
      await probeControlPlane(address, { files: this.#options.files(), signal: this.#signal });
    } catch (thrown) {
      const { code, message } = connectionError(thrown, formatHostPort(address));
      throw new ChandleryError(code, message, { hint, cause: thrown });
    }
  }
}
