import type { KubeObject } from '@chandlery/api';
import type { DesiredObject } from '@chandlery/runtime';
import type { ProjectWorkspaceConfig, Tenant } from '../../kinds/index.ts';
import type { TenantLevel } from '../../model/tenants/role-rules.ts';
import type { ServedKind } from '../../model/tenants/served-kinds.ts';
import type { Placement } from '../../model/tenants/tenant-place.ts';

/** What the steps of projects and workspaces need from the world. */
export interface TenantDeps {
  readonly level: TenantLevel;
  place(tenant: Tenant): Placement;
  readonly config: () => ProjectWorkspaceConfig['spec'];
  /** The kinds whose objects keep a tenant from going, as far as they are served. */
  blockingKinds(): readonly ServedKind[];
  findNamespace(name: string): Promise<KubeObject | undefined>;
  createNamespace(namespace: KubeObject): Promise<void>;
  deleteNamespace(namespace: KubeObject): Promise<void>;
  apply(desired: DesiredObject): Promise<unknown>;
  listIn(namespace: string, kind: ServedKind): Promise<readonly KubeObject[]>;
}
