import type { KubeObject } from '@chandlery/api';
import { type Controller, createController, type Informer, isDeleting, keyOf } from '@chandlery/runtime';
import { type ComponentBinding, componentBindings, projects, providerNames, type Tenant } from '../../kinds/index.ts';
import { logicalClusters, managerOf, servedBy, type TenantCluster } from '../../model/components/tenant-cluster.ts';
import { placeProject, projectOf, tenantLabels } from '../../model/tenants/tenant-place.ts';
import { isIgnored, takeOperation } from '../tenants/operation.ts';
import type { TenantContext } from '../tenants/tenant-context.ts';
import { bindComponent } from './bind-component.ts';
import type { BindingDeps } from './binding-deps.ts';
import { awaitUnused, unbindComponent } from './unbind-component.ts';

const byComponent = 'component';
const byProject = 'project';

/** Starts the controller of component bindings; the caller stops it. */
export function startComponentBindings(context: TenantContext): Controller {
  const { informers, onboarding: client, providers, namespaces, kinds, logger, metrics } = context;
  const informer = informers.informer<ComponentBinding>({ client, ref: componentBindings.ref });
  const projectInformer = informers.informer<Tenant>({ client, ref: projects.ref });
  informer.addIndex(byComponent, ({ spec }) => [spec.component]);
  namespaces.addIndex(byProject, ({ metadata }) => projectLabelOf(metadata));
  const controller = createController<ComponentBinding, BindingDeps>({
    name: componentBindings.plural,
    client,
    for: { ref: componentBindings.ref, informer },
    watches: [
      {
        informer: providers,
        mapToKeys: ({ metadata }) => informer.byIndex(byComponent, metadata.name ?? '').map(keyOf),
      },
      { informer: projectInformer, mapToKeys: project => waitingIn(informer, project as Tenant) },
    ],
    finalizer: providerNames.tenantFinalizer,
    steps: [takeOperation, bindComponent],
    onDelete: [takeOperation, awaitUnused, unbindComponent],
    isPaused: isIgnored,
    concurrency: 4,
    needs: createDeps(context, { informer, projectInformer }),
    logger,
    ...(metrics === undefined ? {} : { metrics }),
  });
  kinds.listen({
    objectChanged: (_kind, { metadata }, change) => {
      if (change !== 'deleted') return;
      const [project] = projectLabelOf(namespaces.get(undefined, metadata.namespace ?? '')?.metadata ?? {});
      if (project !== undefined) enqueue(controller, informer, project, isDeleting);
    },
    kindsChanged: () => {
      for (const binding of informer.list()) if (binding.status?.phase !== 'Bound') controller.enqueue(keyOf(binding));
    },
  });
  controller.start();
  return controller;
}

interface Informers {
  readonly informer: Informer<ComponentBinding>;
  readonly projectInformer: Informer<Tenant>;
}

function createDeps(context: TenantContext, { informer, projectInformer }: Informers): BindingDeps {
  const { platform, providers, namespaces, kinds, objects, openObjects, tenantClusters } = context;
  return {
    hasClusters: tenantClusters !== undefined,
    findProvider: name => providers.get(undefined, name),
    served: wanted => kinds.served(wanted),
    findProject: namespace => {
      const project = projectOf(namespace);
      return project === undefined ? undefined : projectInformer.get(undefined, project);
    },
    othersIn: ({ metadata }) => informer.list(metadata.namespace).filter(({ metadata: m }) => m.name !== metadata.name),
    namespacesOf: project => namespaces.byIndex(byProject, project).map(({ metadata }) => metadata.name ?? ''),
    listIn: (namespace, { group, version, plural }) => objects.list({ group, version, plural, namespace }),
    serve: async (binding, cluster, served) => {
      const clusters = openObjects(platform, managerOf(binding));
      const found = await clusters.find<TenantCluster>({ ...logicalClusters, name: cluster });
      if (found === undefined || isDeleting(found)) return false;
      const desired = { plural: logicalClusters.plural, object: servedBy(cluster, served) };
      await clusters.apply(desired);
      return true;
    },
  };
}

const projectLabelOf = ({ labels }: KubeObject['metadata']): string[] => {
  const project = labels?.[tenantLabels.project];
  return project === undefined ? [] : [project];
};

/** Bindings that wait for the project's own API. */
function waitingIn(informer: Informer<ComponentBinding>, { metadata: { name = '' }, status }: Tenant): string[] {
  if (status?.cluster === undefined) return [];
  return bindingsOf(informer, name)
    .filter(binding => binding.status?.phase !== 'Bound')
    .map(keyOf);
}

function bindingsOf(informer: Informer<ComponentBinding>, project: string): readonly ComponentBinding[] {
  const placement = placeProject(project);
  return placement.type === 'place' ? informer.list(placement.place.namespace) : [];
}

function enqueue(
  controller: Controller,
  informer: Informer<ComponentBinding>,
  project: string,
  isMeant: (binding: ComponentBinding) => boolean,
): void {
  for (const binding of bindingsOf(informer, project)) if (isMeant(binding)) controller.enqueue(keyOf(binding));
}
