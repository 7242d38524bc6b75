import { ChandleryError, type JsonObject, type KubeObject } from '@chandlery/api';

/** Describes a provider for its validation; stored beside its code as `validation.yaml`. */
export interface ValidationFile {
  /** The name of its ServiceProvider. */
  readonly provider: string;
  /** What installs it: HostImages and the ServiceProvider itself. */
  readonly install: readonly KubeObject[];
  /** Its ProviderConfig, applied when its kind is there. */
  readonly config: KubeObject;
  /** The service object of a tenant: apiVersion, kind and spec. */
  readonly service: KubeObject & { readonly spec: JsonObject };
  /** A change of the tenant's spec with a visible effect on a cluster. */
  readonly update: JsonObject;
  /** A spec that must be rejected, and texts that the message must contain. Default: skipped. */
  readonly userError?: { readonly spec: JsonObject; readonly message: readonly string[] };
  /** A change of the ProviderConfig's spec that affects every object. Default: skipped. */
  readonly configChange?: JsonObject;
  /**
   * An object that a tenant creates on its control plane, and the status that the domain service sets. Default:
   * skipped.
   */
  readonly domain?: {
    readonly object: KubeObject;
    readonly status: JsonObject;
    /**
     * The provider carries such objects to the domain service (`syncs`), so that they have no effect while a service is
     * retained. Default false.
     */
    readonly needsProvider?: boolean;
  };
}

const required = ['provider', 'install', 'config', 'service', 'update'] as const;

/** Checks the shape of a validation file. Throws `ValidationFileInvalid`. */
export function readValidationFile(value: unknown, place: string): ValidationFile {
  if (typeof value !== 'object' || value === null) throw invalid(place, 'it is not an object');
  const missing = required.filter(key => !(key in value));
  if (missing.length > 0) throw invalid(place, `it lacks ${missing.join(', ')}`);
  const file = value as ValidationFile;
  const { service, domain } = file;
  if (!Array.isArray(file.install)) throw invalid(place, 'install is not a list of objects');
  if (!isTyped(service)) throw invalid(place, 'service lacks apiVersion or kind');
  if (!isTyped(file.config)) throw invalid(place, 'config lacks apiVersion or kind');
  if (domain !== undefined && !isTyped(domain.object)) throw invalid(place, 'domain.object lacks apiVersion or kind');
  return file;
}

const isTyped = (object: Partial<KubeObject> | undefined): boolean =>
  typeof object?.apiVersion === 'string' && typeof object.kind === 'string';

const invalid = (place: string, why: string): ChandleryError =>
  new ChandleryError('ValidationFileInvalid', `${place} does not say how to validate a provider: ${why}`, {
    hint: 'The README of packages/sdk shows what it contains; "chandlery provider new" writes one.',
  });
