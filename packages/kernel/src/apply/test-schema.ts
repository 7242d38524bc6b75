import type { StructuralSchema } from '@chandlery/api';

const text: StructuralSchema = { type: 'string' };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };

const metadata: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    namespace: text,
    labels: texts,
    annotations: texts,
    finalizers: {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    ownerReferences: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { uid: text, name: text } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
    },
  },
};

const port: StructuralSchema = {
  type: 'object',
  properties: {
    port: { type: 'integer' },
    protocol: { type: 'string', default: 'TCP' },
    name: text,
    target: { 'x-kubernetes-int-or-string': true },
  },
};

const container: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    image: text,
    args: { type: 'array', items: text },
    resources: { type: 'object', properties: { cpu: text, memory: text } },
    ports: {
      type: 'array',
      items: port,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    },
  },
};

/** For tests: a kind with every structure that ownership and patches know. */
export const widgetSchema: StructuralSchema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata,
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        size: text,
        selector: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        steps: { type: 'array', items: text },
        limits: texts,
        strategy: { type: 'object', properties: { type: text, surge: { type: 'integer' } } },
        containers: {
          type: 'array',
          items: container,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'name',
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { phase: text, ready: { type: 'integer' } } },
  },
};
