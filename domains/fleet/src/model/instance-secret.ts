/** The keys of the Secret that holds what only an instance and its agent may know. */
export const instanceSecretKeys = {
  certificate: 'tls.crt',
  privateKey: 'tls.key',
  clientSecret: 'client-secret',
} as const;
