import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, free, labelsSchema, rowStatus, text } from './common.ts';
import { uniqueId, uniqueTogether } from './unique-keys.ts';

/** A plan of an offering. The service manager writes it; users may change only its labels. */
export const servicePlans = defineKind({
  ...declared,
  kind: 'ServicePlan',
  shortNames: ['sp'],
  categories: ['brokers'],
  description: "A plan of an offering in a broker's catalog.",
  spec: Type.Object({
    brokerId: Type.String(),
    offeringId: Type.String(),
    catalogId: Type.String({ description: "The broker's own id." }),
    catalogName: Type.String({ description: "The broker's own name." }),
    name: Type.String(),
    description: text('For people.'),
    free: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    bindable: Type.Optional(Type.Boolean({ description: "Default: the offering's." })),
    planUpdateable: Type.Optional(Type.Boolean({ description: "Default: the offering's." })),
    bindingRotatable: flag('Whether a binding can be made as the successor of another.'),
    metadata: free('What the catalog says for people and tools.'),
    schemas: free('JSON Schemas of parameters.'),
    maximumPollingDuration: Type.Optional(Type.Integer({ description: 'Seconds. 0: no limit of its own.' })),
    maintenanceInfo: free('The version of what instances run.'),
    isReference: flag('Made by the service manager: its instances refer to shared ones.'),
    labels: labelsSchema,
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('Offering', '.spec.offeringId'),
    column('Broker', '.spec.brokerId', 1),
    ageColumn,
  ],
  selectableFields: ['.spec.brokerId', '.spec.offeringId'],
  uniqueKeys: [
    uniqueId,
    uniqueTogether('catalog_id', 'offeringId', 'catalogId'),
    uniqueTogether('name', 'offeringId', 'name'),
  ],
});

export type ServicePlan = ObjectOf<typeof servicePlans>;
