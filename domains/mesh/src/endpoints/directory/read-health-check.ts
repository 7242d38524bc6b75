import type { HealthCheck } from '../../model/mesh-service.ts';

/** The annotation of a Service that says how its endpoints are tried: `tcp`, or the path of a GET. */
export const healthCheckAnnotation = 'mesh.chandlery.io/health-check';

const maxPathLength = 1024;

/** Undefined for anything that is neither `tcp` nor a path: then only calls tell. */
export function readHealthCheck(text: string | undefined): HealthCheck | undefined {
  if (text === 'tcp') return 'tcp';
  const isPath = text !== undefined && text.length <= maxPathLength && /^\/[!-~]*$/.test(text);
  return isPath ? { path: text } : undefined;
}
