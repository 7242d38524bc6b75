import type { GroupVersionKind, KubeObject } from '@chandlery/api';
import type { ComponentBinding, Provider, Tenant } from '../../kinds/index.ts';
import type { ServedKind } from '../../model/tenants/served-kinds.ts';

/** The dependencies of the steps of component bindings. */
export interface BindingDeps {
  /** Whether tenants have APIs of their own. */
  readonly hasClusters: boolean;
  findProvider(name: string): Provider | undefined;
  /** Returns those of the kinds that are served now. */
  served(kinds: readonly GroupVersionKind[]): readonly ServedKind[];
  /** Returns the project of a namespace. */
  findProject(namespace: string): Tenant | undefined;
  /** Returns the other bindings of the same project. */
  othersIn(binding: ComponentBinding): readonly ComponentBinding[];
  namespacesOf(project: string): readonly string[];
  listIn(namespace: string, kind: ServedKind): Promise<readonly KubeObject[]>;
  /** Serves exactly these kinds for the binding on the project's own API; false when there is no such API. */
  serve(binding: ComponentBinding, cluster: string, kinds: readonly ServedKind[]): Promise<boolean>;
}
