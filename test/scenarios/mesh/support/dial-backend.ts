import { type ChannelCredentials, Client, credentials, type ServiceError } from '@grpc/grpc-js';
import type { CertificateFiles } from '../../../../domains/mesh/src/agent/certificate-folder.ts';
import { getCatalog } from './catalog-service.ts';

/** With or without a client certificate. The server is not verified here. */
export const withCertificate = ({ ca, cert, key }: CertificateFiles): ChannelCredentials =>
  credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert), { checkServerIdentity: () => undefined });

export const withoutCertificate = ({ ca }: Pick<CertificateFiles, 'ca'>): ChannelCredentials =>
  credentials.createSsl(Buffer.from(ca), null, null, { checkServerIdentity: () => undefined });

export const withoutTls = (): ChannelCredentials => credentials.createInsecure();

/** Calls a backend directly, once; returns the gRPC status code. */
export async function dialBackend(port: number, as: ChannelCredentials): Promise<number> {
  // SNI allows no IP address.
  const client = new Client(`127.0.0.1:${port}`, as, { 'grpc.ssl_target_name_override': 'catalog.shop' });
  const { path, requestSerialize, responseDeserialize } = getCatalog;
  const options = { deadline: Date.now() + 20_000 };
  const error = await new Promise<ServiceError | null>(resolve => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, options, resolve);
  });
  client.close();
  return error?.code ?? 0;
}
