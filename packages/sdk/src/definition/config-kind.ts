import {
  type CustomKind,
  type CustomObject,
  commonStatus,
  defineKind,
  type KindDefinition,
  type KubeObject,
} from '@chandlery/api';
import { type Static, type TObject, Type } from 'typebox';
import { onPlatform } from '../model/names.ts';
import { commonColumns, resourcesPart, withFields } from './service-kind.ts';

const pollPart = {
  pollInterval: Type.Optional(
    Type.String({
      default: '1m',
      pattern: String.raw`^(\d+(\.\d+)?(ms|s|m|h))+$`,
      description: 'How often a world that offers no watch is looked at: 30s, 1m, 1h30m.',
    }),
  ),
};
type PollPart = Static<TObject<typeof pollPart>>;

const configStatus = Type.Object({ ...commonStatus, ...resourcesPart });

/** The operator's settings for a provider, and the status of what all tenants share. */
export interface ConfigObject extends KubeObject {
  spec: PollPart;
  status?: Static<typeof configStatus>;
}

/** The kind of a provider's configuration, installed on the platform cluster. */
export type ConfigKind<C extends ConfigObject = ConfigObject> = CustomKind<C>;

/** Declares the settings that operators have for a provider. */
export interface ConfigKindDefinition<Spec extends TObject>
  extends Omit<KindDefinition<Spec, TObject>, 'scope' | 'labels' | 'status' | 'kind' | 'description'> {
  /** Default `ProviderConfig`. */
  readonly kind?: string;
  readonly description?: string;
}

/**
 * Defines the kind of a provider's configuration. It is cluster-scoped; the object with the provider's name is the
 * default.
 */
export function defineProviderConfig<Spec extends TObject>(
  definition: ConfigKindDefinition<Spec>,
): CustomKind<CustomObject<Static<Spec> & PollPart, Static<typeof configStatus>>> {
  const { spec, kind = 'ProviderConfig', description = defaultDescription, columns = [], ...rest } = definition;
  const config = defineKind({
    ...rest,
    kind,
    description,
    scope: 'Cluster',
    spec: withFields(spec, pollPart),
    status: configStatus,
    columns: [...columns, ...commonColumns.filter(({ name }) => !columns.some(column => column.name === name))],
    labels: onPlatform,
  });
  return config as unknown as CustomKind<CustomObject<Static<Spec> & PollPart, Static<typeof configStatus>>>;
}

const defaultDescription = "How a provider works. The one with the provider's own name counts.";
