import type { KubeObject } from '@chandlery/api';
import type { DesiredObject } from '@chandlery/runtime';
import type { ProjectWorkspaceConfig, Tenant } from '../../kinds/index.ts';
import type { TenantLevel } from '../../model/tenants/role-rules.ts';
import type { ServedKind } from '../../model/tenants/served-kinds.ts';
import type { Placement } from '../../model/tenants/tenant-place.ts';

/** The dependencies of the steps of projects and workspaces. */
export interface TenantDeps {
  readonly level: TenantLevel;
  place(tenant: Tenant): Placement;
  readonly config: () => ProjectWorkspaceConfig['spec'];
  /** The served kinds whose objects block the deletion of a tenant. */
  blockingKinds(): readonly ServedKind[];
  findNamespace(name: string): Promise<KubeObject | undefined>;
  createNamespace(namespace: KubeObject): Promise<void>;
  deleteNamespace(namespace: KubeObject): Promise<void>;
  apply(desired: DesiredObject): Promise<unknown>;
  listIn(namespace: string, kind: ServedKind): Promise<readonly KubeObject[]>;
}
