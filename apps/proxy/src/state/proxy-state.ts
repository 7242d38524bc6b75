import { existsSync, readFileSync } from 'node:fs';
import { ChandleryError } from '@chandlery/api';
import { writeFileAtomically } from '@chandlery/platform';

/** What is known of the credentials of a broker. Never the credentials themselves. */
export interface CredentialsNote {
  readonly madeAt: string;
  /** Made, and perhaps not yet taken over by the platform. */
  readonly isPending: boolean;
}

interface StoredState {
  readonly serviceManager: string;
  readonly handledRevision?: number | undefined;
  readonly credentials: Readonly<Record<string, CredentialsNote>>;
}

/** What a proxy remembers; over restarts too, when it has a file. */
export class ProxyState {
  readonly #path: string | undefined;
  readonly #serviceManager: string;
  readonly #credentials: Map<string, CredentialsNote>;
  #handledRevision: number | undefined;

  /** Remembers what the file says of this service manager. Throws `StateInvalid`. */
  constructor(serviceManager: string, path?: string) {
    this.#path = path;
    this.#serviceManager = serviceManager;
    const stored = path === undefined ? undefined : readState(path);
    const own = stored?.serviceManager === serviceManager ? stored : undefined;
    this.#handledRevision = own?.handledRevision;
    this.#credentials = new Map(Object.entries(own?.credentials ?? {}));
  }

  get handledRevision(): number | undefined {
    return this.#handledRevision;
  }

  credentialsOf(brokerId: string): CredentialsNote | undefined {
    return this.#credentials.get(brokerId);
  }

  setHandledRevision(revision: number | undefined): void {
    if (revision === this.#handledRevision) return;
    this.#handledRevision = revision;
    this.#save();
  }

  setCredentials(brokerId: string, note: CredentialsNote | undefined): void {
    if (note === undefined) this.#credentials.delete(brokerId);
    else this.#credentials.set(brokerId, note);
    this.#save();
  }

  #save(): void {
    if (this.#path === undefined) return;
    const stored: StoredState = {
      serviceManager: this.#serviceManager,
      handledRevision: this.#handledRevision,
      credentials: Object.fromEntries(this.#credentials),
    };
    writeFileAtomically(this.#path, `${JSON.stringify(stored, null, 2)}\n`);
  }
}

function readState(path: string): StoredState | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredState;
  } catch (cause) {
    throw new ChandleryError('StateInvalid', `${path} cannot be read as the state of a proxy`, {
      hint: 'Remove it: the proxy then resyncs.',
      cause,
    });
  }
}
