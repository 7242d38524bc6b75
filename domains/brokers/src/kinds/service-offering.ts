import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, free, labelsSchema, rowStatus, text } from './common.ts';
import { uniqueId, uniqueTogether } from './unique-keys.ts';

/** A service of a broker's catalog. The service manager writes it; users may change only its labels. */
export const serviceOfferings = defineKind({
  ...declared,
  kind: 'ServiceOffering',
  shortNames: ['so'],
  categories: ['brokers'],
  description: "A service of a broker's catalog.",
  spec: Type.Object({
    brokerId: Type.String(),
    catalogId: Type.String({ description: "The broker's own id." }),
    catalogName: Type.String({ description: "The broker's own name." }),
    name: Type.String(),
    description: text('For people.'),
    bindable: flag('Whether its plans can be bound, unless they say otherwise.'),
    instancesRetrievable: flag('Whether instances can be fetched.'),
    bindingsRetrievable: flag('Whether bindings can be fetched; needed for asynchronous ones.'),
    planUpdateable: flag('Whether an instance may change its plan, unless the plan says otherwise.'),
    allowContextUpdates: flag('Whether an update may bring a new context alone.'),
    tags: Type.Optional(Type.Array(Type.String())),
    requires: Type.Optional(Type.Array(Type.String())),
    metadata: free('What the catalog says for people and tools.'),
    labels: labelsSchema,
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [column('Display-Name', '.spec.name'), column('Broker', '.spec.brokerId'), ageColumn],
  selectableFields: ['.spec.brokerId'],
  uniqueKeys: [
    uniqueId,
    uniqueTogether('catalog_id', 'brokerId', 'catalogId'),
    uniqueTogether('name', 'brokerId', 'name'),
  ],
});

export type ServiceOffering = ObjectOf<typeof serviceOfferings>;
