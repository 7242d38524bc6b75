import type { KubeObject } from '@chandlery/api';
import { type DesiredObject, setController } from '@chandlery/runtime';
import {
  type ControlPlane,
  controlPlanes,
  type ProjectWorkspaceConfig,
  projects,
  type Tenant,
  workspaces,
} from '../kinds/index.ts';
import { membersOf, type User } from '../model/tenants/members.ts';
import { rightsOnTenant } from '../model/tenants/tenant-objects.ts';
import { admitControlPlane } from './admit-control-plane.ts';
import { type Admission, admitTenant } from './admit-tenant.ts';

/** A write of any of the kinds that have a rule. */
export interface TenantKindWrite {
  /** As it is about to be stored, with defaults filled in. */
  readonly object: KubeObject;
  /** As it is stored; undefined when it is created. */
  readonly live: KubeObject | undefined;
  readonly user: User;
  /** The spec of the ProjectWorkspaceConfig `default` of the onboarding cluster, if there is one. */
  readonly config: ProjectWorkspaceConfig['spec'] | undefined;
}

/** What the server asks before it stores an object of the onboarding cluster: creations and updates, not those of status. */
export interface AdmissionRule {
  readonly group: string;
  readonly plural: string;
  admit(write: TenantKindWrite): Admission<KubeObject>;
  /** What is stored together with a new object, so that it holds as soon as the creation is answered. Default nothing. */
  besides?(created: Pick<TenantKindWrite, 'object' | 'config'>): readonly DesiredObject[];
}

const tenantRule = ({ group, plural }: { readonly group: string; readonly plural: string }): AdmissionRule => ({
  group,
  plural,
  admit: ({ object, live, ...rest }) =>
    admitTenant({ object: object as Tenant, live: live as Tenant | undefined, ...rest }),
});

/** Whoever creates a project can read it, and wait for it, from the start. */
function rightsOnNew(project: Tenant, config: ProjectWorkspaceConfig['spec']): readonly DesiredObject[] {
  const rights = rightsOnTenant(project, membersOf(project, config));
  for (const { object } of rights) setController(object, project);
  return rights;
}

/** The rules of the kinds of tenants. */
export const admissionRules: readonly AdmissionRule[] = [
  { ...tenantRule(projects), besides: ({ object, config = {} }) => rightsOnNew(object as Tenant, config) },
  tenantRule(workspaces),
  {
    group: controlPlanes.group,
    plural: controlPlanes.plural,
    admit: ({ object, live }) =>
      admitControlPlane({ object: object as ControlPlane, live: live as ControlPlane | undefined }),
  },
];
