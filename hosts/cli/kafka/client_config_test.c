/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client_config.h"
#include "jaas.h"

enum { FAULT = 256 };

static int translate(const char *text, cli_properties *out, char fault[FAULT])
{
    cli_properties java = {0};
    *out = (cli_properties){0};
    assert_int_equal(cli_properties_read(text, strlen(text), &java, fault, FAULT), 0);
    int status = cli_client_config(&java, out, fault, FAULT);
    cli_properties_free(&java);
    return status;
}

static void assert_becomes(const char *java, const char *key, const char *value)
{
    char fault[FAULT] = "";
    cli_properties out;
    assert_int_equal(translate(java, &out, fault), 0);
    if (value == NULL) {
        assert_null(cli_properties_find(&out, key));
    } else {
        assert_non_null(cli_properties_find(&out, key));
        assert_string_equal(cli_properties_get(&out, key), value);
    }
    cli_properties_free(&out);
}

static void assert_refused(const char *java, const char *why)
{
    char fault[FAULT] = "";
    cli_properties out;
    assert_int_equal(translate(java, &out, fault), -1);
    assert_non_null(strstr(fault, why));
    assert_null(strstr(fault, "hush"));
    cli_properties_free(&out);
}

static void what_both_clients_call_the_same_stays(void **state)
{
    (void)state;
    assert_becomes("security.protocol=SASL_SSL", "security.protocol", "SASL_SSL");
    assert_becomes("sasl.mechanism=SCRAM-SHA-512", "sasl.mechanism", "SCRAM-SHA-512");
    assert_becomes("ssl.ca.location=/ca.pem", "ssl.ca.location", "/ca.pem");
    assert_becomes("request.timeout.ms=5000", "socket.timeout.ms", "5000");
    assert_becomes("bootstrap.servers=a:1", "bootstrap.servers", NULL);
}

static void a_login_becomes_user_and_password(void **state)
{
    (void)state;
    const char *scram = "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n"
                        "  username=\"alice\" \\\n  password=\"a\\\\\"b=;\" tokenauth=true;";
    assert_becomes(scram, "sasl.username", "alice");
    assert_becomes(scram, "sasl.password", "a\"b=;");
    assert_becomes("sasl.jaas.config=a.PlainLoginModule Required username = 'x y' password='';", "sasl.password", "");
    assert_becomes("sasl.jaas.config=a.Krb5LoginModule required keyTab=\"/k\" principal=\"p@R\";",
                   "sasl.kerberos.keytab", "/k");
}

static void stores_of_pem_and_pkcs12_are_taken(void **state)
{
    (void)state;
    assert_becomes("ssl.truststore.type=PEM\nssl.truststore.location=/t.pem", "ssl.ca.location", "/t.pem");
    assert_becomes("ssl.truststore.certificates=-----BEGIN", "ssl.ca.pem", "-----BEGIN");
    const char *pem = "ssl.keystore.location=/k.pem\nssl.keystore.type=pem\nssl.key.password=hush";
    assert_becomes(pem, "ssl.certificate.location", "/k.pem");
    assert_becomes(pem, "ssl.key.location", "/k.pem");
    assert_becomes(pem, "ssl.key.password", "hush");
    const char *pkcs12 = "ssl.keystore.location=/k.p12\nssl.keystore.type=PKCS12\nssl.keystore.password=hush";
    assert_becomes(pkcs12, "ssl.keystore.location", "/k.p12");
    assert_becomes(pkcs12, "ssl.keystore.password", "hush");
    assert_becomes("ssl.endpoint.identification.algorithm=", "ssl.endpoint.identification.algorithm", "none");
}

static void what_would_be_less_safe_without_it_is_refused(void **state)
{
    (void)state;
    assert_refused("a=b\nssl.truststore.location=/t.jks", "line 2: ssl.truststore.location: only ssl.tru");
    assert_refused("ssl.keystore.location=/k.jks", "ssl.keystore.type=PEM or PKCS12");
    assert_refused("sasl.jaas.config=a.OAuthBearerLoginModule required hush=hush;", "OAuthBearerLoginModule cannot");
    assert_refused("sasl.jaas.config=a.ScramLoginModule required username=hush;", "username and password are needed");
}

static void a_broken_login_is_refused_without_its_words(void **state)
{
    (void)state;
    assert_refused("sasl.jaas.config=", "no login module is named");
    assert_refused("sasl.jaas.config=hush", "\"required\" must follow");
    assert_refused("sasl.jaas.config=a.M required hush", "an option has no value");
    assert_refused("sasl.jaas.config=a.M required =hush;", "an option has no name");
    assert_refused("sasl.jaas.config=a.M required a=;", "an option has no value");
    assert_refused("sasl.jaas.config=a.M required a=\"hush;", "a quote is not closed");
    assert_refused("sasl.jaas.config=a.M required a=\"hush\\\\", "a quote is not closed");
    assert_refused("sasl.jaas.config=a.M required a=\"\\\\0\";", "a zero byte");
    assert_refused("sasl.jaas.config=a.M required a=hush", "';' must end it");
    assert_refused("sasl.jaas.config=a.M required; b.M required;", "more are given");
}

static void escapes_between_quotes_are_those_of_java(void **state)
{
    (void)state;
    char fault[FAULT];
    cli_jaas login;
    assert_int_equal(cli_jaas_read("M required a=\"\\n\\101\\4\\\\\\'\\\"\";", &login, fault, sizeof fault), 0);
    assert_string_equal(login.module, "M");
    assert_string_equal(cli_properties_get(&login.options, "a"), "\nA\4\\'\"");
    cli_jaas_free(&login);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_both_clients_call_the_same_stays),
        cmocka_unit_test(a_login_becomes_user_and_password),
        cmocka_unit_test(stores_of_pem_and_pkcs12_are_taken),
        cmocka_unit_test(what_would_be_less_safe_without_it_is_refused),
        cmocka_unit_test(a_broken_login_is_refused_without_its_words),
        cmocka_unit_test(escapes_between_quotes_are_those_of_java),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
