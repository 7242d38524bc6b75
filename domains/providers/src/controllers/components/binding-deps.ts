import type { GroupVersionKind, KubeObject } from '@chandlery/api';
import type { ComponentBinding, Provider, Tenant } from '../../kinds/index.ts';
import type { ServedKind } from '../../model/tenants/served-kinds.ts';

/** What the steps of component bindings need from the world. */
export interface BindingDeps {
  /** Whether tenants have APIs of their own. */
  readonly hasClusters: boolean;
  findProvider(name: string): Provider | undefined;
  /** Those of the kinds that are served now. */
  served(kinds: readonly GroupVersionKind[]): readonly ServedKind[];
  /** The project whose namespace it is. */
  findProject(namespace: string): Tenant | undefined;
  /** The other bindings of the same project. */
  othersIn(binding: ComponentBinding): readonly ComponentBinding[];
  namespacesOf(project: string): readonly string[];
  listIn(namespace: string, kind: ServedKind): Promise<readonly KubeObject[]>;
  /** Serves just these kinds for the binding on the project's own API; false when there is no such API. */
  serve(binding: ComponentBinding, cluster: string, kinds: readonly ServedKind[]): Promise<boolean>;
}
