import { type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { apply, ignoreNotFound } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import {
  buildHeld,
  type DefinitionCluster,
  deviationOf,
  type HeldDefinition,
  putBackBody,
  readHeld,
} from '../../model/operator/held-definitions.ts';
import { type Crd, ownDefinitions } from '../../model/operator/own-kinds.ts';
import type { ProviderClass } from '../../model/operator/provider-class.ts';
import { labelsOf, managedByValue } from '../../model/operator/provider-names.ts';
import { definitions } from './collections.ts';
import type { OperatorContext } from './operator-context.ts';
import type { ApiDeps } from './operator-deps.ts';

const fieldManager = 'chandlery-operator';
const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';

/** Creates the dependencies of the step that keeps definitions. */
export function createApiDeps(context: OperatorContext, providerClass: ProviderClass): ApiDeps {
  const clients: Readonly<Record<DefinitionCluster, Client>> = context.options;
  const caches = { platform: context.platformDefinitions, onboarding: context.onboardingDefinitions };
  const heldDefinitions = (provider: Provider): readonly HeldDefinition[] => {
    const labels = Object.entries(labelsOf(providerClass, nameOf(provider)));
    const isOwn = ({ metadata }: KubeObject): boolean =>
      labels.every(([label, value]) => metadata.labels?.[label] === value);
    return context.held
      .list()
      .filter(isOwn)
      .flatMap(object => readHeld(object) ?? []);
  };
  return {
    heldDefinitions,
    async holdDefinitions(provider, init) {
      const installed = await listInstalled(clients, provider);
      const isInstalled = (held: HeldDefinition): boolean =>
        installed.some(({ cluster, definition }) => idOf(cluster, definition) === idOf(held.cluster, held.definition));
      // A definition that was deleted meanwhile is stored as it was.
      const lost = heldDefinitions(provider).filter(held => !isInstalled(held));
      const wanted = [...installed, ...lost].map(each => buildHeld(providerClass, provider, { ...each, init }));
      await apply(
        clients.platform,
        fieldManager,
        wanted.map(object => ({ plural: 'configmaps', object })),
      );
    },
    async findDefinition(held) {
      const cached = caches[held.cluster].get(undefined, nameOf(held.definition));
      if (deviationOf(held, cached) === undefined) return cached;
      const at = { ...definitions, name: nameOf(held.definition) };
      return clients[held.cluster].get<Crd>(at).catch(ignoreNotFound);
    },
    putBack: (held, live) => putBack(clients[held.cluster], held, live),
  };
}

interface Installed {
  readonly cluster: DefinitionCluster;
  readonly definition: Crd;
}

async function listInstalled(
  clients: Readonly<Record<DefinitionCluster, Client>>,
  provider: Provider,
): Promise<readonly Installed[]> {
  const labelSelector = `${providerNames.managedByLabel}=${managedByValue(nameOf(provider))}`;
  const found = (['platform', 'onboarding'] as const).map(async cluster => {
    const all = await Array.fromAsync(clients[cluster].listAll<Crd>(definitions, { labelSelector }));
    const present = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return ownDefinitions(present.map(typed), nameOf(provider)).map(definition => ({ cluster, definition }));
  });
  return (await Promise.all(found)).flat();
}

/** Kubernetes leaves out the type of listed objects. */
const typed = (definition: Crd): Crd => ({
  ...definition,
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
});

const idOf = (cluster: DefinitionCluster, definition: KubeObject): string => `${cluster}/${nameOf(definition)}`;

/**
 * Writes to the version that was read. The field managers are restored too: otherwise a later init, which applies,
 * could not remove fields.
 */
async function putBack(client: Client, held: HeldDefinition, live: Crd | undefined): Promise<void> {
  const body = putBackBody(held, live);
  const at = { ...definitions, name: nameOf(held.definition) };
  const stored = await (live === undefined
    ? client.create(definitions, body, { fieldManager })
    : client.update(at, body, { fieldManager }));
  const { managedFields = [] } = held.definition.metadata;
  const { resourceVersion } = stored.metadata;
  const metadata = { resourceVersion, managedFields: managedFields as unknown as JsonObject[] };
  if (managedFields.length > 0) await client.patch(at, { type: 'merge', body: { metadata } }, { fieldManager });
}
