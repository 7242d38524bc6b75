import { message, one, string } from '../message.ts';
import { objectMeta } from './meta.ts';
import { persistentVolumeClaimSpec, persistentVolumeClaimStatus } from './storage.ts';

const layout = message('A claim to make for each pod.', {
  metadata: one(1, objectMeta, 'Name, labels and annotations of the claim.'),
  spec: one(2, persistentVolumeClaimSpec, 'What storage is asked for.'),
  status: one(3, persistentVolumeClaimStatus, 'Ignored.'),
});

const typed = message('', {
  apiVersion: string(1, 'API version of the claim: v1.'),
  kind: string(2, 'Kind of the claim: PersistentVolumeClaim.'),
});

/** A whole claim inside another object: in JSON it has an apiVersion and a kind, in protobuf it has none. */
export const claimTemplate = {
  schema: { ...layout.schema, properties: { ...typed.schema.properties, ...layout.schema.properties } },
  protobuf: layout.protobuf,
};
