import type { TestCluster } from '@chandlery/testing';

/** Applies objects by kubectl. */
export async function apply(cluster: TestCluster, text: string): Promise<void> {
  const { code, stderr } = await cluster.kubectl(['apply', '--server-side', '-f', '-'], { stdin: text });
  if (code !== 0) throw new Error(`kubectl apply failed on ${cluster.name}: ${stderr}`);
}
