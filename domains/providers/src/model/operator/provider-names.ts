import { hash8, shorten } from '@chandlery/clusters/kinds';
import { type Provider, providerNames } from '../../kinds/index.ts';
import type { ProviderClass } from './provider-class.ts';

/** The part of a provider that an object belongs to; the value of `app.kubernetes.io/component`. */
export type ProviderPart = 'init-job' | 'controller';

/** The names of a provider's objects. */
export interface ObjectNames {
  /** Account, roles and Deployment of the run part. */
  readonly run: string;
  /** Account, roles and Job of the init part. */
  readonly init: string;
  /** The Service of the metrics. */
  readonly metrics: string;
  /** The optional Secret with certificates for webhooks. */
  readonly webhookTls: string;
}

/** The label of the operator's objects; the operator watches only objects with it. */
export const operatorLabel = { key: 'app.kubernetes.io/managed-by', value: 'chandlery-operator' } as const;

const maxSuffixLength = '-metrics';
const webhookSuffix = '-webhook-tls';

/** The names of a provider's objects; all are valid for Services and as label values. */
export function namesOf({ prefix }: ProviderClass, providerName: string): ObjectNames {
  const base = shorten(`${prefix}-${withoutDots(providerName)}`, 63 - maxSuffixLength.length);
  return {
    run: base,
    init: `${base}-init`,
    metrics: `${base}${maxSuffixLength}`,
    webhookTls: `${shorten(providerName, 63 - webhookSuffix.length)}${webhookSuffix}`,
  };
}

/** Services and pods have no dots in their names; the hash keeps `a.b` and `a-b` apart. */
const withoutDots = (name: string): string =>
  name.includes('.') ? `${name.replaceAll('.', '-')}-${hash8(name)}` : name;

/** The labels of the operator's objects for a provider, or for one part of it. */
export function labelsOf(
  { kind }: ProviderClass,
  providerName: string,
  part?: ProviderPart,
): Readonly<Record<string, string>> {
  return {
    [operatorLabel.key]: operatorLabel.value,
    'app.kubernetes.io/name': kind.kind,
    'app.kubernetes.io/instance': shorten(providerName),
    ...(part === undefined ? {} : { 'app.kubernetes.io/component': part }),
  };
}

/** The annotations that name the provider of an object. */
export const annotationsOf = (provider: Provider): Readonly<Record<string, string>> => ({
  [providerNames.providerKindAnnotation]: provider.kind,
  [providerNames.providerNameAnnotation]: provider.metadata.name ?? '',
});

/** The value of the label `openmcp.cloud/managed-by` on a provider's own objects. */
export const managedByValue = (providerName: string): string => shorten(providerName);

/** A selector for exactly these labels. */
export const selectorText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
