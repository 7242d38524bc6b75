import type { KubeObject } from './object.ts';

/**
 * The W3C `traceparent` of the last write that changed what the object asks for, when that write was part of a recorded
 * trace. It links the reconciles that follow to the trace.
 */
export const traceparentAnnotation = 'core.chandlery.io/traceparent';

/** The annotation of an object; undefined without one. */
export const traceparentOf = ({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined =>
  metadata.annotations?.[traceparentAnnotation];
