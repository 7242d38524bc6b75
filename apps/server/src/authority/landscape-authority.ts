import { isError, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Kernel, UserInfo } from '@chandlery/kernel';
import { createKernelClient } from '@chandlery/kernel';
import {
  type CertificateAuthority,
  type Clock,
  type CurrentAuthority,
  createCertificateAuthority,
  Emitter,
  type IssuingAuthority,
  type Logger,
  randomIds,
} from '@chandlery/platform';
import { claimFormat, rotatedFormat } from '../data-format.ts';
import { authorityKey, authorityRef, authoritySecret, readAuthoritySecret } from './authority-secret.ts';
import { commonNameOf, dropOld, initialRotation, isDropDue, issuingOf, type Rotation } from './rotation.ts';

export interface LandscapeAuthorityDeps {
  readonly kernel: Kernel;
  /** The authority of the keys folder: the first one of the landscape. */
  readonly first: CertificateAuthority;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often it is checked whether the old authority is to be dropped. */
const dropCheckMs = 15_000;
/** After so long a rotation that could not be read is read again. */
const rereadMs = 5000;
/** Two replicas that change the same rotation: one of them tries again. */
const maxAttempts = 5;

/** The certificate authority that this process goes by: follows rotations, whichever replica makes them. */
export class LandscapeAuthority implements AsyncDisposable {
  readonly #deps: LandscapeAuthorityDeps;
  readonly #client: Client;
  readonly #listeners: Emitter<[]>;
  readonly #stops: readonly (() => void)[];
  readonly #timer: NodeJS.Timeout;
  #reread: NodeJS.Timeout | undefined;
  #rotation: Rotation;
  #issuing: IssuingAuthority;
  #presentName: string;
  #oldName: string | undefined;
  #reading: Promise<void> = Promise.resolve();

  private constructor(deps: LandscapeAuthorityDeps) {
    this.#deps = deps;
    this.#rotation = initialRotation(deps.first);
    this.#issuing = issuingOf(this.#rotation);
    this.#presentName = commonNameOf(deps.first);
    this.#client = createKernelClient(deps.kernel, { cluster: authorityKey.cluster });
    this.#listeners = new Emitter(thrown =>
      deps.logger.error('cannot do all that a new certificate authority takes', { error: toError(thrown).message }),
    );
    const { feed } = deps.kernel;
    this.#stops = [feed.listen(authorityKey, () => this.#follow()), feed.onGap(() => this.#follow())];
    this.#timer = setInterval(() => this.#dropInTime(), dropCheckMs).unref();
  }

  /** Reads which authority the landscape has. Rejects when what is stored cannot be read. */
  static async open(deps: LandscapeAuthorityDeps): Promise<LandscapeAuthority> {
    const opened = new LandscapeAuthority(deps);
    await opened.#read();
    return opened;
  }

  readonly current: CurrentAuthority = () => this.#issuing;

  get rotation(): Rotation {
    return this.#rotation;
  }

  /** All authorities to be trusted, PEM. */
  get trustPem(): string {
    return this.#issuing.trustPem;
  }

  /** The common name of the authority that is being replaced. Undefined: none is. */
  get oldName(): string | undefined {
    return this.#oldName;
  }

  /** Whether an authority of a common name is trusted. */
  isTrusted(commonName: string): boolean {
    return commonName === this.#presentName || commonName === this.#oldName;
  }

  /** Calls the listener after each change. Returns the function that stops it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Commits a change of the rotation in the name of a user. `change` may be called again when another replica was faster. */
  async change(
    change: (rotation: Rotation, make: () => CertificateAuthority) => Rotation,
    user?: UserInfo,
  ): Promise<void> {
    await using client = createKernelClient(this.#deps.kernel, {
      cluster: authorityKey.cluster,
      fieldManager: 'chandlery-ca',
      ...(user && { user }),
    });
    for (let attempt = 1; ; attempt++) {
      const { rotation, resourceVersion } = await this.#stored();
      const changed = change(rotation, () => this.#makeAuthority());
      if (changed === rotation) break;
      await claimFormat(this.#deps.kernel.store, rotatedFormat);
      try {
        const secret = authoritySecret(changed, resourceVersion);
        if (resourceVersion === undefined) await client.create(authorityRef, secret);
        else await client.update(authorityRef, secret);
        break;
      } catch (error) {
        if (!isError(error, 'Conflict', 'AlreadyExists') || attempt === maxAttempts) throw error;
      }
    }
    await this.#read();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop();
    clearInterval(this.#timer);
    clearTimeout(this.#reread);
    await this.#reading;
    clearTimeout(this.#reread);
    await this.#client[Symbol.asyncDispose]();
  }

  /** The name distinguishes authorities in certificates and in what people see. */
  #makeAuthority(): CertificateAuthority {
    const now = this.#deps.clock.now();
    const commonName = `chandlery-${now.toISOString().slice(0, 10)}-${randomIds.nameSuffix()}`;
    return createCertificateAuthority({ commonName, now });
  }

  /** Without a Secret, which can be deleted by hand, what this process knows: a change then makes it again. */
  async #stored(): Promise<{ readonly rotation: Rotation; readonly resourceVersion: string | undefined }> {
    try {
      const secret = await this.#client.get(authorityRef);
      return { rotation: readAuthoritySecret(secret), resourceVersion: secret.metadata.resourceVersion };
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
      return { rotation: this.#rotation, resourceVersion: undefined };
    }
  }

  async #read(): Promise<void> {
    const { rotation } = await this.#stored();
    if (rotation.version <= this.#rotation.version) return;
    this.#rotation = rotation;
    this.#issuing = issuingOf(rotation);
    this.#presentName = commonNameOf(rotation.present);
    this.#oldName = rotation.old && commonNameOf(rotation.old);
    this.#deps.logger.info('the certificate authority has changed', {
      phase: rotation.phase,
      version: rotation.version,
    });
    this.#listeners.emit();
  }

  #follow(): void {
    clearTimeout(this.#reread);
    this.#reading = this.#reading
      .then(() => this.#read())
      .catch((error: unknown) => {
        this.#deps.logger.error('cannot follow the rotation of the certificate authority, will be tried again', {
          error: toError(error).message,
        });
        this.#reread = setTimeout(() => this.#follow(), rereadMs).unref();
      });
  }

  #dropInTime(): void {
    const { clock, logger } = this.#deps;
    if (!isDropDue(this.#rotation, clock.now())) return;
    this.change(rotation => (isDropDue(rotation, clock.now()) ? dropOld(rotation, clock.now()) : rotation)).catch(
      (error: unknown) =>
        logger.warn('cannot drop the old certificate authority, will be tried again', {
          error: toError(error).message,
        }),
    );
  }
}
