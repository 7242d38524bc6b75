import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/** Well above the timeout of an inquiry. */
const inquirySeconds = 60;

/** An inquiry of one replica for the proxies of a mesh on the other replicas. */
export const meshInquiries = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MeshInquiry',
  plural: 'meshinquiries',
  scope: 'Cluster',
  servedIn: ['platform'],
  ttlSeconds: inquirySeconds,
  description: 'A replica of the control plane asks the others for their proxies. Written by the control plane alone.',
  spec: Type.Object({
    mesh: Type.String({ description: 'The mesh of the requested proxies.' }),
    askedBy: Type.String({ description: 'The replica that asks.' }),
  }),
});

export type MeshInquiry = ObjectOf<typeof meshInquiries>;

/** A part of the response of a replica. */
export const meshInquiryAnswers = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MeshInquiryAnswer',
  scope: 'Cluster',
  servedIn: ['platform'],
  ttlSeconds: inquirySeconds,
  description: 'The proxies of a replica, in response to a MeshInquiry. Written by the control plane alone.',
  spec: Type.Object({
    replica: Type.String({ description: 'The replica that responds.' }),
    parts: Type.Integer({ minimum: 1, description: 'Number of parts of the response.' }),
    proxies: Type.String({ description: 'A list as JSON.' }),
  }),
});

export type MeshInquiryAnswer = ObjectOf<typeof meshInquiryAnswers>;
