import type { CloudRequest } from '../cloud-http.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. Default: none. */
  readonly sessionToken?: string | undefined;
}

export interface UnsignedRequest {
  /** As signatures name it: `ec2`. */
  readonly service: string;
  readonly region: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signs a POST request. */
export type SignAws = (request: UnsignedRequest) => Promise<CloudRequest>;

/**
 * Makes the function that signs the requests of an account. `credentials` is called for each: temporary ones are renewed
 * by their source. The library is loaded with the first request.
 */
export const createRequestSigner =
  (credentials: () => Promise<AwsCredentials>): SignAws =>
  async ({ service, region, url, headers, body }) => {
    const { AwsV4Signer } = await import('aws4fetch');
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    const signed = await new AwsV4Signer({
      ...{ method: 'POST', url: url.href, body, service, region, accessKeyId, secretAccessKey, headers },
      ...(sessionToken && { sessionToken }),
    }).sign();
    return { method: 'POST', url: signed.url, headers: Object.fromEntries(signed.headers), body };
  };

/** Where the services of a region are. */
export const domainOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');
