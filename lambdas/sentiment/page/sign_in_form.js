// The forms in front of the dashboard: who are you, and a password of your own.

import { byId } from "./dom.js";
import { announce } from "./live.js";

/** Ask until somebody is signed in; `reason` says why they are asked again. */
export async function askToSignIn(session, reason = "") {
  const form = byId("sign-in-form");
  byId("new-password-form").hidden = true;
  form.hidden = false;
  byId("sign-in").hidden = false;
  byId("sign-in-reason").textContent = reason;
  byId("sign-in-reason").hidden = !reason;
  (byId("username").value ? byId("password") : byId("username")).focus();
  const challenge = await submitted(form, () => {
    const [name, password] = [byId("username").value.trim(), byId("password").value];
    if (!name || !password) throw new Error("Enter your user name and your password.");
    return session.signIn(name, password);
  });
  byId("password").value = "";
  form.hidden = true;
  if (challenge) await askForPassword(challenge);
  byId("sign-in").hidden = true;
}

async function askForPassword(challenge) {
  const form = byId("new-password-form");
  const fields = [byId("new-password"), byId("new-password-again")];
  form.hidden = false;
  // For the browser's password manager, which looks for a name beside a new password.
  byId("new-password-user").value = byId("username").value;
  fields[0].focus();
  await submitted(form, () => {
    if (!fields[0].value) throw new Error("Enter a new password.");
    if (fields[0].value !== fields[1].value) throw new Error("The two passwords differ.");
    return challenge.answer(fields[0].value);
  });
  for (const field of fields) field.value = "";
  form.hidden = true;
}

/** What `act` gives, once it has not failed: its errors are shown in the form. */
function submitted(form, act) {
  const error = form.querySelector("[role=alert]");
  const button = form.querySelector("[type=submit]");
  error.textContent = "";
  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (button.getAttribute("aria-disabled") === "true") return;
      error.textContent = "";
      // Not disabled: that would take the focus away from it.
      button.setAttribute("aria-disabled", "true");
      const words = button.textContent;
      button.textContent = button.dataset.progress;
      announce(button.dataset.progress);
      try {
        resolve(await act());
      } catch (refused) {
        error.textContent = refused.message;
        const field = form.querySelector("input[type=password]");
        field.focus();
        field.select();
      } finally {
        button.removeAttribute("aria-disabled");
        button.textContent = words;
      }
    };
  });
}
