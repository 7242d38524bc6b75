import type { KubeObject } from '@chandlery/api';
import { commandText } from '../../ui/command-text.ts';
import type { FormValues } from './schema-fields.ts';

/** What is ordered. */
export interface Order {
  readonly offering: string;
  readonly plan: string;
  readonly name: string;
  /** The tenant. */
  readonly namespace: string;
  readonly parameters: FormValues;
}

/** The object that an order is: the same for what every domain offers. */
export const objectOfOrder = ({ offering, plan, name, namespace, parameters }: Order): KubeObject => ({
  apiVersion: 'brokers.chandlery.io/v1alpha1',
  kind: 'ServiceInstance',
  metadata: { name, namespace },
  spec: {
    offeringName: offering,
    planName: plan,
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  },
});

/** Reads an order back from its object; undefined when it is something else. */
export function orderOfObject(object: unknown): Order | undefined {
  const { kind, metadata, spec } = (object ?? {}) as {
    readonly kind?: string;
    readonly metadata?: { readonly name?: string; readonly namespace?: string };
    readonly spec?: { readonly offeringName?: string; readonly planName?: string; readonly parameters?: FormValues };
  };
  if (kind !== 'ServiceInstance' || spec?.offeringName === undefined || spec.planName === undefined) return undefined;
  const { name = '', namespace = '' } = metadata ?? {};
  return { offering: spec.offeringName, plan: spec.planName, name, namespace, parameters: spec.parameters ?? {} };
}

/** The command line that makes the same order. */
export function commandOfOrder({ offering, plan, name, namespace, parameters }: Order): string {
  const words = ['chandlery', 'provision', name, offering, plan, '--tenant', namespace];
  if (Object.keys(parameters).length > 0) words.push('-c', JSON.stringify(parameters));
  return commandText(...words);
}
