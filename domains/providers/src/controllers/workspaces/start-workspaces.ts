import { type Controller, type Informer, keyOf, type Step } from '@chandlery/runtime';
import { projects, type Tenant, workspaces } from '../../kinds/index.ts';
import { kindsBlockingWorkspace } from '../../model/tenants/remaining.ts';
import { placeProject, placeWorkspace, projectOf } from '../../model/tenants/tenant-place.ts';
import { notReady } from '../tenants/report-tenant.ts';
import { startTenantController } from '../tenants/start-tenant-controller.ts';
import type { TenantContext } from '../tenants/tenant-context.ts';
import type { TenantDeps } from '../tenants/tenant-deps.ts';

/** Starts the controller of workspaces; the caller stops it. */
export function startWorkspaces(context: TenantContext): Controller {
  const { informers, onboarding: client } = context;
  const informer = informers.informer<Tenant>({ client, ref: workspaces.ref });
  const projectInformer = informers.informer<Tenant>({ client, ref: projects.ref });
  return startTenantController(context, {
    level: 'workspace',
    kind: workspaces,
    informer,
    place: ({ metadata: { name = '', namespace = '' } }) => placeWorkspace(namespace, name),
    blockingKinds: () => context.kinds.served(kindsBlockingWorkspace(context.config(), context.serviceKinds())),
    firstSteps: [findProject(projectInformer)],
    watches: [{ informer: projectInformer, mapToKeys: project => keysIn(informer, project.metadata.name) }],
  });
}

/** A workspace needs a project; a namespace with a name like a project's does not suffice. */
const findProject = (projectInformer: Informer<Tenant>): Step<Tenant, TenantDeps> =>
  function findProject(workspace, _deps, { now }) {
    const { namespace = '' } = workspace.metadata;
    const project = projectOf(namespace);
    if (project !== undefined && projectInformer.get(undefined, project) !== undefined) return 'continue';
    const message = `Namespace "${namespace}" is not that of a project; create the workspace in the namespace of one.`;
    return notReady(workspace, { reason: 'ProjectNotFound', message }, now);
  };

function keysIn(informer: Informer<Tenant>, project = ''): string[] {
  const placement = placeProject(project);
  return placement.type === 'place' ? informer.list(placement.place.namespace).map(keyOf) : [];
}
