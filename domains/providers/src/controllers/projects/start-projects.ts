import type { Controller } from '@chandlery/runtime';
import { projects, type Tenant } from '../../kinds/index.ts';
import { kindsBlockingProject } from '../../model/tenants/remaining.ts';
import { placeProject } from '../../model/tenants/tenant-place.ts';
import { startTenantController } from '../tenants/start-tenant-controller.ts';
import type { TenantWorld } from '../tenants/tenant-world.ts';

/** Starts the controller of projects; the caller stops it. */
export const startProjects = (world: TenantWorld): Controller =>
  startTenantController(world, {
    level: 'project',
    kind: projects,
    informer: world.informers.informer<Tenant>({ client: world.onboarding, ref: projects.ref }),
    place: ({ metadata: { name = '' } }) => placeProject(name),
    blockingKinds: () => world.kinds.served(kindsBlockingProject(world.config())),
  });
