import type { HealthCheck } from '../../model/mesh-service.ts';

/** Annotation of a Service with the health check of its endpoints: `tcp`, or the path of a GET. */
export const healthCheckAnnotation = 'mesh.chandlery.io/health-check';

const maxPathLength = 1024;

/** Returns undefined for anything that is neither `tcp` nor a path: then there is no active health check. */
export function readHealthCheck(text: string | undefined): HealthCheck | undefined {
  if (text === 'tcp') return 'tcp';
  const isPath = text !== undefined && text.length <= maxPathLength && /^\/[!-~]*$/.test(text);
  return isPath ? { path: text } : undefined;
}
