import { byCreation, type StructuralSchema } from '@chandlery/api';
import { isConditionTrue, isDeleting } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { type Crd, ownDefinitions, resourcesOf } from '../operator/own-kinds.ts';
import { offerNames, uuidOf } from './offer-names.ts';
import type { OfferedKind } from './service-offer.ts';

interface Definition extends Crd {
  spec?: Omit<NonNullable<Crd['spec']>, 'versions'> & {
    readonly scope: string;
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
    }[];
  };
}

type Found = Omit<OfferedKind, 'name'>;

/**
 * The kinds that providers serve to tenants: reported in the provider's status, installed by it, and served now. The
 * older of two kinds of one name has the plain name, so that it keeps it when the other is added.
 */
export function findKinds(providers: readonly Provider[], definitions: readonly Crd[]): readonly OfferedKind[] {
  const taken = new Set<string>();
  return [...providers].sort(byCreation).flatMap(provider =>
    kindsOf(provider, definitions).map(found => {
      const plain = found.kind.toLowerCase();
      const name = taken.has(plain) ? `${plain}.${found.group}` : plain;
      taken.add(plain);
      return { ...found, name };
    }),
  );
}

function kindsOf(provider: Provider, definitions: readonly Crd[]): readonly Found[] {
  const own = ownDefinitions(definitions, provider.metadata.name ?? '') as readonly Definition[];
  return resourcesOf(provider).flatMap(({ group, version, kind }) => {
    const definition = own.find(({ spec }) => spec?.group === group && spec.names.kind === kind);
    return definition === undefined ? [] : foundIn(provider, definition, version);
  });
}

function foundIn(provider: Provider, definition: Definition, wantedVersion: string): Found[] {
  const { group, scope, names, versions } = definition.spec ?? nothing;
  const version = versions.find(({ name, served }) => served && name === wantedVersion);
  if (version === undefined || scope !== 'Namespaced' || !isConditionTrue(definition, 'Established')) return [];
  const { name: providerName = '' } = provider.metadata;
  const { description, properties } = version.schema?.openAPIV3Schema ?? {};
  return [
    {
      provider: providerName,
      isLeaving: isDeleting(provider),
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      serviceId: uuidOf('service', providerName, group, names.kind),
      description: description ?? `${names.kind} of the provider ${providerName}.`,
      isBindable: properties?.['status']?.properties?.['connectionSecretRef'] !== undefined,
      schema: properties?.['spec'],
      plansText: definition.metadata.annotations?.[offerNames.plansAnnotation],
    },
  ];
}

const nothing = { group: '', scope: '', names: { kind: '', plural: '' }, versions: [] };
