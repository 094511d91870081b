// Who is signed in: Cognito's tokens, kept for this tab only.

import { Handshake } from "./srp.js";

const SERVICE = "AWSCognitoIdentityProviderService";
const TIMEOUT_MS = 15_000;
// A token is renewed while it still has this long to go.
const MARGIN_MS = 60_000;

/** The sign-in service said no; the message is its own. */
export class SignInRefused extends Error {}

/** The sign-in service did not answer. */
export class SignInUnreachable extends Error {}

/** Nobody is signed in, or no longer. */
export class SignedOut extends Error {}

/**
 * const session = new Session(config.signIn);
 * const challenge = await session.signIn(name, password);
 * if (challenge) await challenge.answer(newPassword);
 * fetch(url, { headers: { Authorization: `Bearer ${await session.token()}` } });
 */
export class Session {
  #config;
  #store;
  #place;
  #tokens;
  #renewal = null;

  constructor(config, store = sessionStorage) {
    this.#config = config;
    this.#store = store;
    // By client, so that another stage on the same origin does not find them.
    this.#place = `sign-in ${config.clientId}`;
    this.#tokens = JSON.parse(store.getItem(this.#place));
  }

  get open() {
    return this.#tokens !== null;
  }

  /** Null once signed in; otherwise what must be answered first. */
  async signIn(username, password) {
    const answer = this.#config.password
      ? await this.#start("USER_PASSWORD_AUTH", { USERNAME: username, PASSWORD: password })
      : await this.#prove(username, password);
    return this.#conclude(answer, username);
  }

  /** An ID token that is good for a while. */
  async token() {
    if (this.#tokens === null) throw new SignedOut();
    const left = this.#tokens.expires - Date.now();
    if (left < MARGIN_MS) {
      try {
        await this.renew();
      } catch (error) {
        if (!(error instanceof SignInUnreachable) || left <= 0) throw error;
      }
    }
    return this.#tokens.id;
  }

  /** Get a new ID token without asking anybody. Calls at the same time share one request. */
  renew() {
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  /** Forget the tokens, then have the service forget them as well. */
  async signOut() {
    const refresh = this.#tokens?.refresh;
    this.#keep(null);
    if (!refresh) return;
    const { clientId } = this.#config;
    // Signed out here is signed out, whether or not the service can be told.
    await this.#call("RevokeToken", { ClientId: clientId, Token: refresh }).catch(() => {});
  }

  async #renew() {
    const refresh = this.#tokens?.refresh;
    try {
      if (!refresh) throw new SignInRefused("There is no refresh token.");
      const answer = await this.#start("REFRESH_TOKEN_AUTH", { REFRESH_TOKEN: refresh });
      this.#accept(answer.AuthenticationResult);
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      this.#keep(null);
      throw new SignedOut();
    }
  }

  async #prove(username, password) {
    const handshake = new Handshake();
    const first = { USERNAME: username, SRP_A: handshake.publicKey };
    const asked = await this.#start("USER_SRP_AUTH", first);
    const { userPoolId } = this.#config;
    const challenge = asked.ChallengeParameters;
    const proof = await handshake.proof(userPoolId, password, challenge, new Date());
    return this.#respond(asked, proof);
  }

  #conclude(answer, username) {
    if (answer.AuthenticationResult) {
      this.#accept(answer.AuthenticationResult);
      return null;
    }
    if (answer.ChallengeName !== "NEW_PASSWORD_REQUIRED") {
      throw new SignInRefused(
        `This account signs in with ${answer.ChallengeName}, which this page does not offer.`,
      );
    }
    const name = answer.ChallengeParameters?.USER_ID_FOR_SRP ?? username;
    return {
      answer: async (password) => {
        const responses = { USERNAME: name, NEW_PASSWORD: password };
        return this.#conclude(await this.#respond(answer, responses), username);
      },
    };
  }

  #accept(result) {
    const claims = claimsOf(result.IdToken);
    // The token's own length of life, from now: this machine's clock may be wrong.
    const expires = Date.now() + (claims.exp - claims.iat) * 1000;
    const refresh = result.RefreshToken ?? this.#tokens?.refresh ?? null;
    this.#keep({ id: result.IdToken, refresh, expires });
  }

  #keep(tokens) {
    this.#tokens = tokens;
    if (tokens === null) this.#store.removeItem(this.#place);
    else this.#store.setItem(this.#place, JSON.stringify(tokens));
  }

  #start(flow, parameters) {
    const { clientId } = this.#config;
    return this.#call("InitiateAuth", {
      AuthFlow: flow,
      ClientId: clientId,
      AuthParameters: parameters,
    });
  }

  #respond(asked, responses) {
    const { clientId } = this.#config;
    return this.#call("RespondToAuthChallenge", {
      ChallengeName: asked.ChallengeName,
      ClientId: clientId,
      Session: asked.Session,
      ChallengeResponses: responses,
    });
  }

  async #call(operation, body) {
    let answer;
    let content;
    try {
      answer = await fetch(this.#config.url, {
        method: "POST",
        headers: {
          "Content-Type": "application/x-amz-json-1.1",
          "X-Amz-Target": `${SERVICE}.${operation}`,
        },
        body: JSON.stringify(body),
        credentials: "omit",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      content = JSON.parse((await answer.text()) || "{}");
    } catch {
      throw new SignInUnreachable("The sign-in service cannot be reached. Try again shortly.");
    }
    if (answer.ok) return content;
    if (answer.status >= 500) {
      throw new SignInUnreachable("The sign-in service has a problem. Try again shortly.");
    }
    throw new SignInRefused(content.message ?? content.Message ?? "The sign-in was refused.");
  }
}

function claimsOf(token) {
  const part = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(atob(part));
}
