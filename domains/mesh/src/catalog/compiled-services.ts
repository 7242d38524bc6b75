import type { OutboundService, ProxyScope } from '../model/proxy-scope.ts';
import type { EncodedResource } from '../model/resource.ts';
import { type ServiceKey, serviceKey } from '../model/service-name.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';

/** Cache of compiled services, shared by all scopes that see a service in the same way. */
export class CompiledServices {
  readonly #compiler: ResourceCompiler;
  readonly #made = new Map<ServiceKey, Map<string, readonly EncodedResource[]>>();

  constructor(compiler: ResourceCompiler) {
    this.#compiler = compiler;
  }

  /** To be called when the service may have changed for some scope. */
  forget(service: ServiceKey): void {
    this.#made.delete(service);
  }

  clear(): void {
    this.#made.clear();
  }

  get(outbound: OutboundService, scope: ProxyScope): readonly EncodedResource[] {
    const key = serviceKey(outbound.service);
    const variant = `${scope.dialect} ${scope.certificateFolder} ${JSON.stringify(outbound)}`;
    const known = this.#made.get(key) ?? new Map<string, readonly EncodedResource[]>();
    this.#made.set(key, known);
    const found = known.get(variant);
    if (found !== undefined) return found;
    const made = this.#compiler.outboundService(outbound, scope);
    known.set(variant, made);
    return made;
  }
}
