/** The keys of the Secret that holds what only an instance and its agent may know. */
export const instanceSecretKeys = {
  certificate: 'tls.crt',
  privateKey: 'tls.key',
  /** The authority to trust, where it is not a public one. */
  authority: 'ca.crt',
  clientSecret: 'client-secret',
} as const;

/** The name of the Secret of an instance, in the namespace of the fleet. */
export const instanceSecretName = (id: string): string => `instance-${id}`;
