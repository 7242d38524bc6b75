import type { ProxyScope } from '../model/proxy-scope.ts';
import type { EncodedResource } from '../model/resource.ts';
import { secretNames } from '../model/resource-names.ts';
import { parseServiceKey, type ServiceName } from '../model/service-name.ts';
import type { MeshAuthority } from '../ports.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';

export interface SecretResourcesOptions {
  readonly authority: MeshAuthority;
  readonly compiler: ResourceCompiler;
  /** Principals of a service that is callable in the scope; undefined for any other. */
  readonly principalsOf: (service: ServiceName, scope: ProxyScope) => readonly string[] | undefined;
}

const outboundPrefix = secretNames.outboundRoots({ namespace: '', name: '' }).slice(0, -1);

/** The trust bundles of proxies, as SDS secrets. They never contain private keys. */
export class SecretResources {
  readonly #options: SecretResourcesOptions;

  constructor(options: SecretResourcesOptions) {
    this.#options = options;
  }

  get(name: string, scope: ProxyScope): EncodedResource | undefined {
    const { authority, compiler, principalsOf } = this.#options;
    if (name === secretNames.inboundRoots) return compiler.inboundRoots(authority.trustBundle);
    const service = name.startsWith(outboundPrefix) ? parseServiceKey(name.slice(outboundPrefix.length)) : undefined;
    const principals = service && principalsOf(service, scope);
    return service && principals && compiler.outboundRoots(service, authority.trustBundle, principals);
  }
}
