import { type Controller, type Informer, keyOf, type Step } from '@chandlery/runtime';
import { projects, type Tenant, workspaces } from '../../kinds/index.ts';
import { kindsBlockingWorkspace } from '../../model/tenants/remaining.ts';
import { placeProject, placeWorkspace, projectOf } from '../../model/tenants/tenant-place.ts';
import { notReady } from '../tenants/report-tenant.ts';
import { startTenantController } from '../tenants/start-tenant-controller.ts';
import type { TenantNeeds } from '../tenants/tenant-needs.ts';
import type { TenantWorld } from '../tenants/tenant-world.ts';

/** Starts the controller of workspaces; the caller stops it. */
export function startWorkspaces(world: TenantWorld): Controller {
  const { informers, onboarding: client } = world;
  const informer = informers.informer<Tenant>({ client, ref: workspaces.ref });
  const projectInformer = informers.informer<Tenant>({ client, ref: projects.ref });
  return startTenantController(world, {
    level: 'workspace',
    kind: workspaces,
    informer,
    place: ({ metadata: { name = '', namespace = '' } }) => placeWorkspace(namespace, name),
    blockingKinds: () => world.kinds.served(kindsBlockingWorkspace(world.config(), world.serviceKinds())),
    firstSteps: [findProject(projectInformer)],
    watches: [{ informer: projectInformer, mapToKeys: project => keysIn(informer, project.metadata.name) }],
  });
}

/** A workspace lives in a project; a namespace whose name only looks like a project's does not do. */
const findProject = (projectInformer: Informer<Tenant>): Step<Tenant, TenantNeeds> =>
  function findProject(workspace, _needs, { now }) {
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
